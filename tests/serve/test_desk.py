"""Requests that go in together are answered as if each had come alone."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import pytest

from dlst import Tagger
from dlst.inputs import Tally
from dlst.serve import Limits
from dlst.serve.desk import SMALL, Deadline, Desk, Job
from dlst.serve.limits import RequestError
from dlst.serve.models import subject_of
from dlst.serve.requests import answer_jobs
from dlst.serve.subject import Subject


class Counted:
    """Counts how often a model is asked."""

    def __init__(self, subject: Subject):
        self.subject, self.sizes = subject, list[int]()
        self._predict = subject.predict
        subject.predict = self.predict  # type: ignore[method-assign]

    def predict(self, rows: Any, top: int, tally: Tally) -> list[dict[str, Any]]:
        self.sizes.append(len(rows))
        return self._predict(rows, top, tally)


@pytest.fixture
def counted(tagger: Tagger) -> Counted:
    return Counted(subject_of(tagger))


def job(body: Any, top: int = 2, seconds: float = 60.0) -> Job:
    return Job(json.dumps(body).encode(), top, False, Deadline(seconds))


def answered(jobs: list[Job], subject: Subject) -> list[Any]:
    answer_jobs(jobs, subject, Limits())
    return [json.loads(each.done.result()[0]) for each in jobs]


def test_small_requests_are_one_prediction(counted: Counted, tickets: pd.DataFrame) -> None:
    rows = tickets.drop(columns="tags").to_dict("records")
    bodies = [(rows[0], 1), (rows[1:4], 2), (rows[4], 2)]
    together = answered([job(*body) for body in bodies], counted.subject)
    assert counted.sizes == [5]
    for body, told in zip(bodies, together, strict=True):
        (alone,) = answered([job(*body)], counted.subject)
        assert [each["id"] for each in told["answers"]] == [e["id"] for e in alone["answers"]]
        for mine, other in zip(told["answers"], alone["answers"], strict=True):
            assert mine["tags"] == other["tags"]
            assert [each["tag"] for each in mine["labels"]] == [e["tag"] for e in other["labels"]]
            for one, another in zip(mine["labels"], other["labels"], strict=True):
                assert one["probability"] == pytest.approx(another["probability"], abs=1e-10)


def test_a_mistake_and_a_note_stay_with_their_request(
    counted: Counted, row: dict[str, Any]
) -> None:
    wrong, odd, plain = job({"text": 3}), job({**row, "team": "cats"}), job(row)
    answer_jobs([wrong, odd, plain], counted.subject, Limits())
    with pytest.raises(RequestError, match="missing"):
        wrong.done.result()
    assert "unknown category" in json.loads(odd.done.result()[0])["notes"][0]
    assert json.loads(plain.done.result()[0])["notes"] == []


def test_a_defect_that_one_request_meets_is_not_the_others(
    counted: Counted, row: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    predict = counted.subject.predict

    def fails_for_one(rows: Any, top: int, tally: Tally) -> list[dict[str, Any]]:
        if any("bug" in str(each) for each in rows):
            raise ZeroDivisionError
        return predict(rows, top, tally)

    monkeypatch.setattr(counted.subject, "predict", fails_for_one)
    bad, plain = job({**row, "text": "bug"}), job(row)
    answer_jobs([bad, plain], counted.subject, Limits())
    assert isinstance(bad.done.exception(), ZeroDivisionError)
    assert json.loads(plain.done.result()[0])["answers"]


def test_only_small_requests_go_in_together(row: dict[str, Any]) -> None:
    desk = Desk(Limits(), lambda jobs: None)
    large, why = job("x" * SMALL), job(row)
    why.reasons = True
    small = [job(row) for _ in range(3)]
    desk._jobs.extend([small[0], small[1], large, why, small[2]])
    assert [len(desk._taken()) for _ in range(5)] == [2, 1, 1, 1, 0]
