"""Hand-made records for the tests of the reports' builders."""

from __future__ import annotations

from dlst.reports.document import Chart, Table, Text


def record(data, method, seed=0, *, metrics=None, labels=None, status="done", **more):
    """Make the record of an evaluated cell; ``more`` are protocol, parameters and facts of rows."""
    protocol, parameters = more.pop("protocol", {}), more.pop("parameters", {})
    made = {
        "key": f"{data}-{method}-{seed}-{protocol}-{parameters}",
        "kind": "evaluate",
        "cell": {
            "data": data,
            "method": method,
            "parameters": parameters,
            "split": "random",
            "seed": seed,
            "protocol": protocol,
            "tuning": "none",
        },
        "status": status,
        "message": None if status == "done" else "went wrong",
    }
    if status == "done":
        made |= {"metrics": metrics or {}, "rows": {"simulated": False, **more}}
        made |= {"labels": labels} if labels else {}
    return made


def blocks(sections, kind):
    """Give the blocks of a kind by name (texts: in order)."""
    found = [block for section in sections for block in section.blocks if isinstance(block, kind)]
    if kind is Text:
        return [block.text for block in found]
    return {block.name: block for block in found}


def texts(row):
    return [cell.text for cell in row]


def row_of(table, name):
    """Give a row of a table as texts by title of the column."""
    rows = [row for row in [*table.rows, *table.references] if row[0].text == name]
    assert len(rows) == 1, [row[0].text for row in table.rows]
    return dict(zip([column.title for column in table.columns], texts(rows[0]), strict=True))


def check_shapes(sections):
    """Assert what every document needs: unique names, whole rows, series of one length."""
    names = [section.name for section in sections]
    for section in sections:
        for block in section.blocks:
            if isinstance(block, Text):
                assert block.text
                continue
            names.append(block.name)
            assert block.name == block.name.lower().replace(" ", "-")
            if isinstance(block, Table):
                for row in [*block.rows, *block.references]:
                    assert len(row) == len(block.columns)
            if isinstance(block, Chart):
                assert block.alternative
                for series in block.series:
                    assert len(series.x) == len(series.y)
                    assert series.texts is None or len(series.texts) == len(series.x)
    assert len(set(names)) == len(names)
