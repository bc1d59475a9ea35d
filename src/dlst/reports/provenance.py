"""What went wrong in a run, where its numbers come from, and how to get each of them again."""

from __future__ import annotations

import datetime
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dlst.experiments import plan_of, wall_seconds
from dlst.methods import method_info
from dlst.reports._toml import to_toml
from dlst.reports.document import Block, Cell, Code, Column, Section, Table, Text
from dlst.reports.items._cells import setting_words
from dlst.reports.items._parts import tuning_sentence

Record = Mapping[str, Any]
LAST_WORDS = 600
"""Characters of a traceback that a report keeps."""


def run_facts(records: Sequence[Record], plan: Mapping[str, Any]) -> dict[str, str]:
    """Return a few figures for the head of a report."""
    done = [record for record in records if record["status"] == "done"]
    failed = len(records) - len(done)
    finished = f"{len(done):,} of {len(records):,}" if failed else f"{len(done):,}, none failed"
    facts = {"pieces of work finished": finished}
    left = _left(records, plan)
    if left:
        facts["not yet run"] = f"{left:,}"
    names = _unique(_what(record)["data"] for record in records)
    facts["data sets"] = str(len(names))
    methods = _unique(record["cell"]["method"] for record in records if "cell" in record)
    if methods:
        facts["methods"] = str(len(methods))
    facts["time of all work"] = _duration(sum(_seconds(record) for record in records))
    return facts


def failure_section(records: Sequence[Record]) -> Section:
    """List what failed, with its message, or say that nothing did."""
    failed = [record for record in records if record["status"] != "done"]
    if not failed:
        told = f"Nothing failed; pieces of work finished: {len(records):,}."
        return Section("failures", "Failures", [Text(told)])
    counts = Counter(record["status"] for record in failed)
    words = ", ".join(f"{count} {status}" for status, count in counts.items())
    table = Table(
        name="failures",
        title="What failed",
        columns=[Column("what"), Column("status"), Column("message"), Column("record")],
        rows=[_failure_row(record) for record in failed],
        note="A table shows a dash where all runs failed, and means over the others elsewhere.",
    )
    told = f"Of {len(records):,} pieces of work {len(failed):,} failed: {words}."
    return Section("failures", "Failures", [Text(told), table])


def provenance_section(records: Sequence[Record], plan: Mapping[str, Any]) -> Section:
    """Tell versions, machine, data, seeds and time, and how to reproduce the run and a number."""
    evaluated = [record for record in records if record.get("kind") == "evaluate"]
    blocks: list[Block] = [_facts_table(records), *_data_table(records)]
    command = plan.get("command") or "dlst compare --plan plan.toml"
    blocks += [Text("The whole run again, or the rest of it where it was stopped:"), Code(command)]
    if evaluated:
        blocks += [Text(_recipe_words(evaluated)), _commands_table(evaluated, command)]
    if plan:
        blocks += [Text("The plan, as `dlst compare --plan` reads it:"), Code(to_toml(plan))]
    return Section("provenance", "Where this comes from", blocks)


def _left(records: Sequence[Record], plan: Mapping[str, Any]) -> int:
    """Count what the plan asks for and the records do not have."""
    if not plan:
        return 0
    asked = plan_of(plan)
    keys = {record["key"] for record in records}
    cells = [cell for cell in asked.cells() if cell.key not in keys]
    probes = [record for record in records if record.get("kind") == "probe"]
    return len(cells) + max(0, len(asked.probes) - len(probes))


def _failure_row(record: Record) -> list[Cell]:
    message = str(record.get("message") or "no message")
    last_words = str(record.get("traceback") or "")[-LAST_WORDS:]
    told = Cell(message, note=last_words)
    return [Cell(_told(record)), Cell(str(record["status"])), told, Cell(str(record["key"]))]


def _facts_table(records: Sequence[Record]) -> Table:
    versions: dict[str, list[str]] = {}
    for record in records:
        for name, value in (record.get("versions") or {}).items():
            found = versions.setdefault(str(name), [])
            if str(value) not in found:
                found.append(str(value))
    cells = [record["cell"] for record in records if record.get("kind") == "evaluate"]
    peaks = [record["peak_mib"] for record in records if record.get("peak_mib")]
    facts = {name: ", ".join(values) for name, values in versions.items()}
    if cells:
        seeds = sorted({int(cell["seed"]) for cell in cells})
        facts["splits"] = ", ".join(_unique(cell["split"] for cell in cells))
        facts["seeds"] = _ranges(seeds)
        settings = [setting_words(cell["protocol"]) or "as the data come" for cell in cells]
        facts["protocols"] = "; ".join(_unique(settings))
        facts["parameters"] = tuning_sentence(records).removeprefix("Tuning: ").removesuffix(".")
    kinds = Counter(str(record.get("kind", "evaluate")) for record in records)
    facts["pieces of work"] = ", ".join(f"{count:,} {kind}" for kind, count in kinds.items())
    facts["time of all work"] = _duration(sum(_seconds(record) for record in records))
    facts["by the clock, breaks left out"] = _duration(wall_seconds(records))
    facts |= _span(records)
    if peaks:
        facts["largest peak of memory"] = f"{max(peaks):,.0f} MiB"
    return Table(
        name="provenance",
        title="Surroundings",
        columns=[Column("what"), Column("value")],
        rows=[[Cell(name), Cell(value)] for name, value in facts.items()],
    )


def _data_table(records: Sequence[Record]) -> list[Table]:
    seen: dict[tuple[str, str], Cell] = {}
    for record in records:
        if record.get("data_sha256"):
            simulated = bool((record.get("rows") or {}).get("simulated"))
            features = "simulated features" if simulated else "as on disk"
            seen.setdefault((_what(record)["data"], record["data_sha256"]), Cell(features))
    if not seen:
        return []
    rows = [
        [Cell(_short(name)), Cell(fingerprint), features]
        for (name, fingerprint), features in seen.items()
    ]
    columns = [
        Column("data"),
        Column("SHA-256", "", "of the list of its files' names and SHA-256"),
        Column("features"),
    ]
    return [Table("data-hashes", "Data", columns, rows)]


def _recipe_words(evaluated: Sequence[Record]) -> str:
    example = next((each for each in evaluated if each["status"] == "done"), evaluated[0])
    return (
        "A number in a table is the mean over the records of its data set, method and split. A "
        "record has a key made of what its cell is, the same in every run on every machine: after "
        "a command below, look for that key in `records.jsonl` of the new folder. For example "
        f"`{example['key']}` is {_told(example)}. Where a command names `plan.toml`, that is the "
        "plan at the end with `data` and `methods` cut down to the row's."
    )


def _commands_table(evaluated: Sequence[Record], whole: str) -> Table:
    groups: dict[str, list[Record]] = {}
    for record in evaluated:
        cell = {**record["cell"], "seed": 0}
        groups.setdefault(repr(sorted(cell.items(), key=str)), []).append(record)
    rows = []
    for group in groups.values():
        cell = group[0]["cell"]
        seeds = sorted({int(record["cell"]["seed"]) for record in group})
        first = min(group, key=lambda record: int(record["cell"]["seed"]))
        rows.append(
            [
                Cell(_short(cell["data"])),
                Cell(_method(cell)),
                Cell(", ".join(filter(None, [cell["split"], setting_words(cell["protocol"])]))),
                Cell(_ranges(seeds)),
                Cell(_command(cell, seeds, whole)),
                Cell(str(first["key"])),
            ]
        )
    titles = ("data", "method", "split", "seeds", "command", "key of the first seed")
    return Table("commands", "Each number again", [Column(title) for title in titles], rows)


def _command(cell: Mapping[str, Any], seeds: Sequence[int], whole: str) -> str:
    if cell.get("tuning") == "once":
        # What was chosen on the first split of the run holds for all, so it takes the run.
        return whole
    if cell["parameters"]:
        return "dlst compare --plan plan.toml --out again"
    options = ["--methods", cell["method"], "--split", cell["split"], "--seeds", max(seeds) + 1]
    for key, value in cell["protocol"].items():
        options += ["--protocol", f"{key}={value!r}"]
    if cell.get("tuning", "none") != "none":
        options += ["--tuning", cell["tuning"]]
    words = ["dlst", "compare", cell["data"], *options, "--out", "again"]
    return shlex.join(map(str, words))


def _told(record: Record) -> str:
    kind = record.get("kind", "evaluate")
    if kind == "probe":
        return f"{record['probe']['probe']} of {_short(record['probe']['data'])}"
    cell = record["cell"]
    setting = setting_words(cell["protocol"])
    words = [f"{_method(cell)} on {_short(cell['data'])}", f"{cell['split']} split"]
    words += [f"seed {cell['seed']}", *([setting] if setting else [])]
    return f"{'tuning of ' if kind == 'tune' else ''}{', '.join(words)}"


def _what(record: Record) -> Mapping[str, Any]:
    found: Mapping[str, Any] = record.get("cell") or record["probe"]
    return found


def _method(cell: Mapping[str, Any]) -> str:
    told = ", ".join(f"{key}={value}" for key, value in sorted(cell["parameters"].items()))
    title = method_info(cell["method"]).title
    return f"{title} ({told})" if told else title


def _short(name: str) -> str:
    return name.rsplit("/", 1)[-1]


def _seconds(record: Record) -> float:
    return float(record.get("wall_seconds") or 0)


def _span(records: Sequence[Record]) -> dict[str, str]:
    ends = [
        (datetime.datetime.fromisoformat(record["finished"]), _seconds(record))
        for record in records
        if record.get("finished")
    ]
    if not ends:
        return {}
    started = min(end - datetime.timedelta(seconds=took) for end, took in ends)
    ended = max(end for end, _ in ends)
    return {
        "first started": f"{started:%Y-%m-%d %H:%M} UTC",
        "last ended": f"{ended:%Y-%m-%d %H:%M} UTC",
        "from first to last": _duration((ended - started).total_seconds()),
    }


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def _ranges(seeds: Sequence[int]) -> str:
    if len(seeds) > 2 and list(seeds) == list(range(seeds[0], seeds[-1] + 1)):
        return f"{seeds[0]} to {seeds[-1]}"
    return ", ".join(map(str, seeds))


def _unique(values: Iterable[Any]) -> list[str]:
    return list(dict.fromkeys(map(str, values)))
