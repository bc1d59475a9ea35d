"""Runs from the shell's side: stopped, on changed data, with foreign lines among their records."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from dlst.cli.app import main


def write_table(path, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 3))
    Y = (X[:, :2] + 0.5 * rng.normal(size=(60, 2)) > 0).astype(int)
    numbers = zip(X.round(3).tolist(), Y.tolist(), strict=True)
    rows = "\n".join(",".join(map(str, x + y)) for x, y in numbers)
    path.write_text(f"a,b,c,label:u,label:v\n{rows}\n")
    return path


@pytest.fixture
def table(tmp_path):
    return write_table(tmp_path / "table.csv")


@pytest.mark.skipif(os.name != "posix", reason="signals as on Unix")
@pytest.mark.parametrize("number", [signal.SIGTERM, getattr(signal, "SIGHUP", None)])
def test_a_terminated_run_says_that_it_goes_on_and_leaves_no_logs(table, tmp_path, number):
    run = tmp_path / "run"
    command = ["compare", str(table), "--methods", "mlknn", "--seeds", "500", "-o", str(run)]
    process = subprocess.Popen(
        [sys.executable, "-m", "dlst", *command],
        stderr=subprocess.PIPE,
        text=True,
        # The tests themselves may run beneath nohup, which lets no child hear of hang-ups.
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),
    )
    for _ in range(600):
        if (run / "records.jsonl").is_file():
            break
        time.sleep(0.1)
    process.send_signal(number)
    told = process.communicate(timeout=60)[1]
    assert process.returncode == 128 + number
    assert "dlst: terminated." in told
    assert f"what was finished is in {run}, and the same command goes on" in told
    assert sorted(file.name for file in run.iterdir()) == [".held", "plan.json", "records.jsonl"]


def test_numbers_of_changed_data_stand_apart(table, tmp_path, capsys):
    run = tmp_path / "run"
    command = ["compare", str(table), "--methods", "mlknn,dlst2", "-o", str(run)]
    assert main(command) == 0
    before = capsys.readouterr().out
    write_table(table, seed=1)
    assert main(command) == 0
    assert capsys.readouterr().out != before
    records = [json.loads(line) for line in (run / "records.jsonl").read_text().splitlines()]
    hashes = list(dict.fromkeys(record["data_sha256"] for record in records))
    assert [len(records), len(hashes)] == [4, 2]
    assert main(["report", str(run), "--page-only"]) == 0
    page = (run / "report" / "report.html").read_text()
    for data_sha256 in hashes:
        assert f"table.csv (bytes {data_sha256[:8]}" in page


def test_foreign_lines_are_one_error_and_unknown_ones_a_note(table, tmp_path, capsys):
    run = tmp_path / "run"
    command = ["compare", str(table), "--methods", "mlknn", "-o", str(run)]
    assert main(command) == 0
    records = run / "records.jsonl"
    whole = records.read_text()
    capsys.readouterr()
    record = json.loads(whole)
    for foreign in ("5", "{}", json.dumps({**record, "metrics": 1})):
        records.write_text(f"{whole}{foreign}\n")
        for again in (command, ["report", str(run)]):
            assert main(again) == 2
            told = capsys.readouterr().err
            assert told.count("\n") == 1
            assert "records.jsonl:2: is no record" in told
    unknown = {name: record[name] for name in record if name not in ("format", "check")}
    records.write_text(f"{whole}{json.dumps({**unknown, 'kind': 'weigh'})}\n")
    assert main(["report", str(run), "--page-only"]) == 0
    assert "left out 1 line of" in capsys.readouterr().err
    assert main(command) == 0
    assert "left out 1 line of" in capsys.readouterr().err
    records.write_text(whole)
    (run / "plan.json").write_text("{")
    capsys.readouterr()
    assert main(["report", str(run)]) == 2
    assert "plan.json:1: is no plan" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--time-limit", "-1"),
        ("--time-limit", "nan"),
        ("--time-limit", "inf"),
        ("--memory-limit", "-5"),
        ("--memory-limit", "0"),
        ("--memory-limit", "nan"),
    ],
)
def test_senseless_limits_are_refused_in_the_words_of_the_command(
    option, value, table, tmp_path, capsys
):
    run = ["-o", str(tmp_path / "run")]
    assert main(["compare", str(table), "--methods", "mlknn", option, value, *run]) == 2
    assert f"{option} must be a number above 0; got {value}" in capsys.readouterr().err
    assert main(["reproduce", "table-datasets", "--quick", option, value, *run]) == 2
    assert option in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_titles_of_a_plan_name_the_methods(table, tmp_path, capsys):
    plan = tmp_path / "plan.toml"
    run = ["compare", "--plan", str(plan), "-o", str(tmp_path / "run")]
    for title in ("Our neighbours", "Their neighbours"):
        plan.write_text(
            f'data = ["{table}"]\n[[methods]]\nmethod = "mlknn"\ntitle = "{title}"\n'
            "parameters = {n_neighbors = 4}\n"
        )
        assert main(run) == 0
        assert title in capsys.readouterr().out
    assert len((tmp_path / "run" / "records.jsonl").read_text().splitlines()) == 1
