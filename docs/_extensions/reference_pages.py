"""The reference: a page for each public name, from the groups in ``docs/reference/groups.toml``.

A group is what a reader looks through together, so the names of a group see each other: each
docstring without a *See Also* of its own gets one that lists them. An argument that a method's
docstring does not explain is explained by ``docs/reference/arguments.toml``.
"""

from __future__ import annotations

import importlib
import inspect
import os
import pprint
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from docutils import nodes
from numpydoc.docscrape import NumpyDocString
from sphinx import addnodes
from sphinx.pycode import ModuleAnalyzer

HERE = Path(__file__).resolve().parents[1] / "reference"

RELATED = 6
"""At most so many names are related; a longer group gives the nearest ones."""

CLASS = """{underlined}

.. currentmodule:: {module}

.. autoclass:: {name}
   :members:
   :inherited-members: BaseEstimator, Exception, tuple, dict, str, int, Protocol
"""
FUNCTION = "{underlined}\n\n.. currentmodule:: {module}\n\n.. autofunction:: {name}\n"
DATA = """{underlined}

.. py:data:: {module}.{name}

   {about}

   .. code-block:: pycon

      {shown}

   .. seealso:: {others}
"""
PAGES = {"class": CLASS, "function": FUNCTION, "data": DATA}


@cache
def groups() -> list[dict[str, Any]]:
    """Return the groups, each with module, title and names."""
    return tomllib.loads((HERE / "groups.toml").read_text(encoding="utf-8"))["group"]


def kind_of(module: str, name: str) -> str:
    """Return "class", "function" or "data"."""
    found = getattr(importlib.import_module(module), name)
    if inspect.isclass(found):
        return "class"
    return "function" if inspect.isroutine(found) else "data"


def underlined(title: str, mark: str = "=") -> str:
    """Return a heading of reStructuredText."""
    return f"{title}\n{mark * len(title)}"


def write_if_changed(path: Path, text: str) -> None:
    """Write, so that what is as before is not built again."""
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def write_pages(app: Any) -> None:
    """Write a page for each module with its groups, and one for each name; delete former ones."""
    pages = pages_of_modules()
    for path, text in pages.items():
        write_if_changed(path, text)
    for path in {*HERE.glob("*.rst"), *HERE.glob("names/*.rst")} - pages.keys():
        path.unlink()


def pages_of_modules() -> dict[Path, str]:
    """Return the pages of all modules and names, by the files that hold them."""
    pages = {}
    by_module: dict[str, list[dict[str, Any]]] = {}
    for group in groups():
        by_module.setdefault(group["module"], []).append(group)
    for module, members in by_module.items():
        text = [underlined(module), f".. currentmodule:: {module}"]
        text += [f".. module:: {module}", inspect.getdoc(importlib.import_module(module)) or ""]
        for group in members:
            text.append(underlined(group["title"], "-"))
            if "about" in group:
                text.append(group["about"])
            text += _listed(module, group["names"])
        own = [name for group in members for name in group["names"] if "." not in name]
        entries = [f"   names/{module}.{name}" for name in own]
        text.append(".. toctree::\n   :hidden:\n\n" + "\n".join(entries))
        pages[HERE / f"{module}.rst"] = "\n\n".join(text) + "\n"
        for name in own:
            pages[HERE / "names" / f"{module}.{name}.rst"] = PAGES[kind_of(module, name)].format(
                underlined=underlined(name),
                module=module,
                name=name,
                about=about(module, name),
                shown=shown(module, name).replace("\n", "\n      "),
                others=", ".join(
                    f":py:obj:`~{each if '.' in each else f'{module}.{each}'}`"
                    for each in near(f"{module}.{name}")
                ),
            )
    return pages


def _listed(module: str, names: list[str]) -> list[str]:
    """Return a table of classes and functions, and a list of the rest."""
    rows, rest = [], []
    for name in names:
        home, _, last = name.rpartition(".")
        if kind_of(home or module, last) == "data":
            rest.append(f"* :py:data:`{name}`: {about(module, name).splitlines()[0]}")
        else:
            rows.append(f"   ~{name.removeprefix('dlst.')}" if home else f"   {name}")
    table = [".. autosummary::\n\n" + "\n".join(rows)] if rows else []
    return [*table, "\n".join(rest)]


@cache
def about(module: str, name: str) -> str:
    """Return the words below a constant, where it is assigned."""
    if kind_of(module, name) != "data":
        return ""
    for each in sorted(sys.modules):
        if each.startswith(module):
            words = ModuleAnalyzer.for_module(each).find_attr_docs().get(("", name))
            if words:
                return "\n".join(words).strip()
    raise LookupError(f"{module}.{name} has no words below its assignment")


def shown(module: str, name: str) -> str:
    """Return how a constant looks at the prompt, its elements by name where they have one."""
    if kind_of(module, name) != "data":
        return ""
    value = getattr(importlib.import_module(module), name)
    said, found = name, value
    if isinstance(value, dict):
        said, found = f"list({name})", list(value)
    elif isinstance(value, tuple) and hasattr(value[0], "name"):
        said, found = f"[each.name for each in {name}]", [each.name for each in value]
    return f">>> {said}\n{pprint.pformat(found, width=88, compact=True)}"


def write_command_line(app: Any) -> None:
    """Write the page of all commands with their options, as the commands themselves tell them."""
    command = [sys.executable, "-m", "typer", "dlst.cli.app", "utils", "docs", "--name", "dlst"]
    told = subprocess.check_output(command, text=True, env={**os.environ, "TERM": "dumb"})  # noqa: S603
    told = told.replace("# `dlst`", "# Command line", 1)
    # The list of commands cuts their words short; each command has them in full below.
    whole = dict(re.findall(r"^## `dlst ([\w-]+)`\n\n(.+)$", told, re.MULTILINE))
    told = re.sub(
        r"^\* `([\w-]+)`: .*\.\.\.$",
        lambda found: f"* `{found[1]}`: {whole[found[1]]}",
        told,
        flags=re.MULTILINE,
    )
    write_if_changed(HERE / "command-line.md", told)


def add_related(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Add the others of the group to a docstring that names none itself."""
    if "See Also" not in lines and (related := near(name)):
        lines += ["", "See Also", "--------", ", ".join(related), ""]


def near(name: str) -> list[str]:
    """Return the names that stand beside one in its group; of a lone one, those of its module."""
    module = name.rpartition(".")[0]
    for wanted in groups():
        full = [f"{wanted['module']}.{each}" for each in wanted["names"]]
        if name not in full:
            continue
        if len(full) == 1:
            full += [
                f"{group['module']}.{each}"
                for group in groups()
                if group["module"] == module and group is not wanted
                for each in group["names"]
            ]
        place = full.index(name)
        found = sorted(range(len(full)), key=lambda other: abs(other - place))[1 : RELATED + 1]
        return [full[other].removeprefix(f"{module}.") for other in sorted(found)]
    return []


@cache
def arguments() -> dict[str, list[str]]:
    """Return type and meaning of arguments, by name and by class and name."""
    return tomllib.loads((HERE / "arguments.toml").read_text(encoding="utf-8"))


def unexplained(method: Any) -> list[str]:
    """Return the arguments that the docstring of a method does not explain."""
    told = NumpyDocString(inspect.getdoc(method) or "")["Parameters"]
    explained = {name.strip(" *") for entry in told for name in entry.name.split(",")}
    names = [*inspect.signature(method).parameters]
    return [name for name in names if name not in explained | {"self", "cls"}]


def explanation_of(method: Any, argument: str) -> str | None:
    """Return the key by which an argument is explained: of its class, or of all."""
    keys = f"{method.__qualname__.rpartition('.')[0]}.{argument}", argument
    return next((key for key in keys if key in arguments()), None)


def add_arguments(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Add the arguments that a method's docstring leaves out."""
    ours = (getattr(obj, "__module__", None) or "").startswith("dlst")
    if what != "method" or not ours or not (left_out := unexplained(obj)):
        return
    entries = []
    for argument in left_out:
        if key := explanation_of(obj, argument):
            kind, meaning = arguments()[key]
            entries += [f"{argument} : {kind}" if kind else argument, f"    {meaning}"]
    if "Parameters" in lines:
        below = lines.index("Parameters") + 2
        lines[below:below] = entries
    elif entries:
        lines += ["", "Parameters", "----------", *entries, ""]


FITTED = re.compile(r"(?<![^\s(\"'])([A-Za-z]\w*_)(?=[\s.,;:)\"']|$)")
"""A fitted attribute in running words, which reStructuredText would take for a link."""


def quote_fitted(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Set fitted attributes in running words as code, and keep bars of norms as they are."""
    for number, line in enumerate(lines):
        if line.lstrip().startswith((">>>", "...")):
            continue
        head, colon, kind = line.partition(" : ")
        if colon and not line.startswith(" "):
            # An entry: numpydoc sets its name, and its type in italics, where no code may stand.
            line = head + colon + FITTED.sub(lambda found: found.group()[:-1] + r"\_", kind)
        else:
            line = FITTED.sub(r"``\1``", line)
        lines[number] = re.sub(r"\|(?=\w)|(?<=\w)\|", r"\|", line)


def is_theirs(app: Any, what: str, name: str, obj: Any, skip: bool, options: Any) -> bool | None:
    """Leave out what scikit-learn documents, and defaults of parameters, which stand above.

    Where a default of None overrides a str or a float, Sphinx would show that type's docstring.
    """
    module = getattr(obj, "__module__", None) or ""
    is_default = obj is None and name in parameters_of_methods()
    return True if module.startswith("sklearn") or is_default else None


@cache
def parameters_of_methods() -> set[str]:
    """Return the names of the parameters that methods have."""
    methods = importlib.import_module("dlst.methods")
    names = methods.available()
    return {key for name in names for key in methods.make(name).get_params(deep=False)}


def find_by_short_name(app: Any, env: Any, node: Any, contnode: Any) -> Any:
    """Link a name that docstrings give without its module, or by the file that holds it."""
    if node.get("refdomain") != "py":
        return None
    short = node["reftarget"].rsplit(".", 1)[-1]
    domain = env.get_domain("py")
    found = [name for name in domain.objects if name.rsplit(".", 1)[-1] == short]
    ours = [name for name in found if name.count(".") <= 2] or found
    if not ours:
        return None
    return domain.resolve_xref(
        env, node["refdoc"], app.builder, "obj", min(ours, key=len), node, contnode
    )


@cache
def page_of(written: str) -> str | None:
    """Return the public name that code in running words means, if it means one alone."""
    if not re.search(r"[A-Z._]|\(\)$", written):
        return None  # `serve` and `run` are words, too
    name = written.removesuffix("()").removeprefix("dlst.")
    found = {
        f"{group['module']}.{each}"
        for group in groups()
        for each in group["names"]
        if "." not in each and name in {each, f"{group['module']}.{each}".removeprefix("dlst.")}
    }
    return found.pop() if len(found) == 1 else None


def link_names(app: Any, doctree: Any) -> None:
    """Let public names lead to their pages, wherever a page writes them as code."""
    if app.env.docname.startswith("reference/"):
        return
    for literal in [*doctree.findall(nodes.literal)]:
        name = page_of(literal.astext())
        linked = isinstance(literal.parent, nodes.reference | addnodes.pending_xref)
        if name is None or linked or isinstance(literal.parent, nodes.title):
            continue
        link = addnodes.pending_xref(
            "", refdomain="py", reftype="obj", reftarget=name, refdoc=app.env.docname
        )
        literal.replace_self(link)
        link += literal


def setup(app: Any) -> dict[str, bool]:
    """Join Sphinx."""
    app.connect("doctree-read", link_names)
    app.connect("builder-inited", write_pages, priority=100)
    app.connect("builder-inited", write_command_line, priority=100)
    # Before numpydoc reads the sections.
    app.connect("autodoc-process-docstring", add_related, priority=100)
    app.connect("autodoc-process-docstring", add_arguments, priority=100)
    app.connect("autodoc-process-docstring", quote_fitted, priority=101)
    app.connect("autodoc-skip-member", is_theirs)
    app.connect("missing-reference", find_by_short_name)
    return {"parallel_read_safe": True}
