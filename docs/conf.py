"""How Sphinx builds the site; ``make docs`` runs it. Nothing is fetched: it builds offline."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import dlst

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "_extensions"))

# Where the tests find real data, the examples do too.
SHARED = HERE.parents[1] / "shared" / "data"
if "DLST_DATA" not in os.environ and SHARED.is_dir():
    os.environ["DLST_DATA"] = str(SHARED)

project = "dlst"
author = "The dlst developers"
copyright = f"{author}, BSD-3-Clause"  # noqa: A001  # Sphinx's name
version = release = dlst.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_design",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    # Ours, in _extensions.
    "reference_pages",
    "data_at_hand",
]
exclude_patterns = ["_build", "examples", "tutorials", "**/GALLERY_HEADER.rst", "results/*/*"]
nitpicky = True
nitpick_ignore_regex = [
    # Words in type lines, and names of other libraries, which have sites of their own.
    ("py:.*", r"(?!dlst).*"),
    # Rooms and helpers that are not public and have no page.
    ("py:mod", r"dlst\..*"),
    (
        "py:.*",
        r".*\.(LeafVote|read_features|StackedDecoder|SecondOpinion|kernel_width|subject_of|ClusterCrew)",
    ),
]

# Markdown: what others write in docs/*.md, plus grids and directives.
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

# Docstrings.
autosummary_generate = True
autodoc_typehints = "none"
autodoc_preserve_defaults = True
# Beside a page, methods stand without the name of their class, which the page has already.
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
numpydoc_use_plots = False

# The gallery and the tutorials are scripts, run here.
sphinx_gallery_conf = {
    "examples_dirs": ["tutorials", "examples"],
    "gallery_dirs": ["learn", "gallery"],
    "within_subsection_order": "reading_order.ReadingOrder",
    "filename_pattern": r"/[^_][^/]*\.py$",
    "download_all_examples": False,
    "plot_gallery": "True",
    "remove_config_comments": True,
    # Seconds of a busy machine tell nothing.
    "min_reported_time": 1e6,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
    "doc_module": ("dlst",),
    "backreferences_dir": "reference/backreferences",
    "image_scrapers": ("matplotlib",),
    "matplotlib_animations": False,
    # What a line of drawing returns is no result.
    "ignore_repr_types": r"matplotlib\.",
}

# How it looks.
html_theme = "pydata_sphinx_theme"
html_title = "dlst"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_sidebars = {"index": []}
html_theme_options = {
    "logo": {"text": "dlst"},
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "secondary_sidebar_items": ["page-toc"],
    "show_prev_next": True,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "navigation_with_keys": False,
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

# Pages that the guide or the project list; all others in this folder are results.
ELSEWHERE = {"index", "architecture", "distributed", "experiments", "tables", "serving", "weights"}
FIRST = ["results", "methods", "compositions"]


def list_results(app, docname, source):
    """Put every page of results that is here into the table of contents of results."""
    if docname == "results/index":
        found = sorted({page.stem for page in HERE.glob("*.md")} - ELSEWHERE - set(FIRST))
        source[0] = source[0].replace("{pages}", "\n".join(f"../{page}" for page in FIRST + found))


def setup(app):
    """Join Sphinx."""
    app.connect("source-read", list_results)
