"""Failures of a run, the origin of its numbers, and the commands that give them again."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dlst.reports.document import Block, Code, Section, Table, TableCell, TableColumn, Text
from dlst.reports.frames import record_title
from dlst.reports.run import SIZES, Record, Run, short_name
from dlst.reports.times import duration, run_span, wall_seconds
from dlst.reports.words import SIMULATED, columns, setting_words

ASKED = "asked"
"""Where a saved plan says how many cells and probes it has; no part of the plan itself."""

LAST_WORDS = 600
"""Characters of a traceback that a report keeps."""


def run_facts(run: Run) -> dict[str, str]:
    """Return a few figures for the head of a report."""
    records = run.records
    done = sum(record["status"] == "done" for record in records)
    outcome = f" of {len(records):,}" if done < len(records) else ", none failed"
    facts = {"pieces of work finished": f"{done:,}{outcome}"}
    left = int(run.plan.get(ASKED, 0)) - sum(record.get("kind") != "tune" for record in records)
    if left > 0:
        facts["not yet run"] = f"{left:,}"
    names = _unique(_what(record)["data"] for record in records)
    facts["data sets"] = str(len(names))
    methods = _unique(record["cell"]["method"] for record in records if "cell" in record)
    if methods:
        facts["methods"] = str(len(methods))
    facts |= _size_facts(run) if len(names) == 1 and run.has_results else {}
    return {**facts, "time of all work": _time_of(records)}


def _size_facts(run: Run) -> dict[str, str]:
    """Return the size of the only data set."""
    rows = next(each["rows"] for each in run.evaluated if each.get("rows"))
    titles = zip(SIZES, ("training rows", "test rows", "features", "labels"), strict=True)
    facts = {title: f"{rows[key]:,}" for key, title in titles if rows.get(key)}
    if rows.get("cardinality") is not None:
        facts["labels per row"] = f"{rows['cardinality']:.2f}"
    return facts


def failure_section(records: Sequence[Record]) -> Section:
    """List what failed, with its message, or say that nothing did."""
    failed = [record for record in records if record["status"] != "done"]
    if not failed:
        words = f"Nothing failed; pieces of work finished: {len(records):,}."
        return Section("failures", "Failures", [Text(words)])
    counts = Counter(record["status"] for record in failed)
    words = ", ".join(f"{count} {status}" for status, count in counts.items())
    table = Table(
        name="failures",
        title="What failed",
        columns=columns("what", "status", "message", "record"),
        rows=[_failure_row(record) for record in failed],
        note="A table shows a dash where all runs failed, and means over the others elsewhere.",
    )
    sentence = f"Of {len(records):,} pieces of work {len(failed):,} failed: {words}."
    return Section("failures", "Failures", [Text(sentence), table])


def provenance_section(run: Run) -> Section:
    """List versions, machine, data, seeds and time, and how to reproduce the run and a number."""
    evaluated, plan = run.evaluated, run.plan
    blocks: list[Block] = [_facts_table(run), *_data_table(run.records)]
    command = plan.get("command") or "dlst compare --plan plan.toml"
    blocks += [Text("The whole run again, or the rest of it where it was stopped:"), Code(command)]
    if evaluated:
        blocks += [Text(_recipe_words(evaluated)), _commands_table(evaluated, command)]
    if plan:
        blocks += [
            Text("The plan, as `dlst compare --plan` reads it:"),
            Code(to_toml({key: plan[key] for key in plan if key != ASKED})),
        ]
    return Section("provenance", "Where this comes from", blocks)


def _failure_row(record: Record) -> list[TableCell]:
    message = str(record.get("message") or "no message")
    shown = TableCell(message, note=str(record.get("traceback") or "")[-LAST_WORDS:])
    what, status, key = map(TableCell, (_description(record), record["status"], record["key"]))
    return [what, status, shown, key]


def _facts_table(run: Run) -> Table:
    records = run.records
    versions = [record.get("versions") or {} for record in records]
    names = _unique(name for each in versions for name in each)
    cells = [record["cell"] for record in run.evaluated]
    peaks = [record["peak_mib"] for record in records if record.get("peak_mib")]
    facts = {name: ", ".join(_unique(v[name] for v in versions if name in v)) for name in names}
    if cells:
        facts["splits"] = ", ".join(_unique(cell["split"] for cell in cells))
        facts["seeds"] = _ranges(run.evaluated)
        settings = [setting_words(cell["protocol"]) or "as the data come" for cell in cells]
        facts["protocols"] = "; ".join(_unique(settings))
        facts["parameters"] = run.tuning.removeprefix("Tuning: ").removesuffix(".")
    kinds = Counter(str(record.get("kind", "evaluate")) for record in records)
    facts["pieces of work"] = ", ".join(f"{count:,} {kind}" for kind, count in kinds.items())
    facts["time of all work"] = _time_of(records)
    facts["by the clock, breaks left out"] = duration(wall_seconds(records))
    facts |= run_span(records)
    if peaks:
        facts["largest peak of memory"] = f"{max(peaks):,.0f} MiB"
    return Table(
        name="provenance",
        title="Surroundings",
        columns=columns("what", "value"),
        rows=[[TableCell(name), TableCell(value)] for name, value in facts.items()],
    )


def _data_table(records: Sequence[Record]) -> list[Table]:
    seen: dict[tuple[str, str], str] = {}
    for record in records:
        if fingerprint := record.get("data_sha256"):
            simulated = (record.get("rows") or {}).get("simulated")
            features = SIMULATED if simulated else "as on disk"
            seen.setdefault((_what(record)["data"], fingerprint), features)
    if not seen:
        return []
    found = ((short_name(name), sha256, features) for (name, sha256), features in seen.items())
    rows = [[TableCell(text) for text in texts] for texts in found]
    digest = TableColumn("SHA-256", "", "of the list of its files' names and SHA-256")
    titles = [*columns("data"), digest, *columns("features")]
    return [Table("data-hashes", "Data", titles, rows)]


def _recipe_words(evaluated: Sequence[Record]) -> str:
    example = next((each for each in evaluated if each["status"] == "done"), evaluated[0])
    return (
        "A number in a table is the mean over the records of its data set, method and split. A "
        "record has a key made of what its cell is, the same in every run on every machine: after "
        "a command below, look for that key in `records.jsonl` of the new folder. For example "
        f"`{example['key']}` is {_description(example)}. Where a command names `plan.toml`, that "
        "is the plan at the end with `data` and `methods` cut down to the row's."
    )


def _commands_table(evaluated: Sequence[Record], whole: str) -> Table:
    groups: dict[str, list[Record]] = {}
    for record in evaluated:
        cell = {**record["cell"], "seed": 0}
        groups.setdefault(repr(sorted(cell.items(), key=str)), []).append(record)
    rows = []
    for group in groups.values():
        group.sort(key=lambda record: int(record["cell"]["seed"]))
        first, cell = group[0], group[0]["cell"]
        texts = (
            short_name(cell["data"]),
            record_title(first),
            ", ".join(filter(None, [cell["split"], setting_words(cell["protocol"])])),
            _ranges(group),
            _command(cell, group[-1]["cell"]["seed"] + 1, whole),
            str(first["key"]),
        )
        rows.append([*map(TableCell, texts)])
    titles = columns("data", "method", "split", "seeds", "command", "key of the first seed")
    return Table("commands", "Each number again", titles, rows)


def _command(cell: Mapping[str, Any], n_seeds: int, whole: str) -> str:
    if cell.get("tuning") == "once":
        # What was chosen on the first split of the run holds for all, so it takes the run.
        return whole
    if cell["parameters"]:
        return "dlst compare --plan plan.toml --out again"
    options = ["--methods", cell["method"], "--split", cell["split"], "--seeds", n_seeds]
    for key, value in cell["protocol"].items():
        options += ["--protocol", f"{key}={value!r}"]
    if cell.get("tuning", "none") != "none":
        options += ["--tuning", cell["tuning"]]
    words = ["dlst", "compare", cell["data"], *options, "--out", "again"]
    return shlex.join(map(str, words))


def _description(record: Record) -> str:
    kind = record.get("kind", "evaluate")
    if kind == "probe":
        return f"{record['probe']['probe']} of {short_name(record['probe']['data'])}"
    cell = record["cell"]
    setting = setting_words(cell["protocol"])
    words = [f"{record_title(record)} on {short_name(cell['data'])}", f"{cell['split']} split"]
    words += [f"seed {cell['seed']}", *([setting] if setting else [])]
    return f"{'tuning of ' if kind == 'tune' else ''}{', '.join(words)}"


def _what(record: Record) -> Mapping[str, Any]:
    found: Mapping[str, Any] = record.get("cell") or record["probe"]
    return found


def _time_of(records: Sequence[Record]) -> str:
    return duration(sum(float(record.get("wall_seconds") or 0) for record in records))


def _ranges(records: Sequence[Record]) -> str:
    seeds = sorted({int(record["cell"]["seed"]) for record in records})
    if len(seeds) > 2 and seeds == list(range(seeds[0], seeds[-1] + 1)):
        return f"{seeds[0]} to {seeds[-1]}"
    return ", ".join(map(str, seeds))


def _unique(values: Iterable[Any]) -> list[str]:
    return list(dict.fromkeys(map(str, values)))


def to_toml(values: Mapping[str, Any]) -> str:
    """Write a mapping, a key a line; long lists an entry a line. None and empty lists are left out.

    Examples
    --------
    >>> print(to_toml({"data": ["emotions"], "seeds": 3, "tuning": None}))
    data = ["emotions"]
    seeds = 3
    """
    kept = {key: value for key, value in values.items() if value not in (None, [], ())}
    return "\n".join(f"{_key(key)} = {_value(value)}" for key, value in kept.items())


def _value(value: Any, inline: bool = False) -> str:
    if isinstance(value, Mapping):
        kept = [(key, each) for key, each in value.items() if each is not None]
        return f"{{{', '.join(f'{_key(key)} = {_value(each, True)}' for key, each in kept)}}}"
    if isinstance(value, list | tuple):
        entries = [_value(each, True) for each in value]
        if inline or not any(isinstance(each, Mapping) for each in value):
            return f"[{', '.join(entries)}]"
        return "\n".join(["[", *(f"    {entry}," for entry in entries), "]"])
    # Strings, numbers and truth values are written alike in TOML and in JSON.
    return json.dumps(value, ensure_ascii=False)


def _key(key: str) -> str:
    plain = key.replace("-", "").replace("_", "")
    return key if plain.isalnum() and plain.isascii() else json.dumps(key, ensure_ascii=False)
