"""Schemas of requests and answers, for OpenAPI."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

from dlst.serve.limits import Limits
from dlst.serve.subject import Subject


class _Told(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Reason(_Told):
    """A word or cell, and the direct evidence lost without it."""

    column: str
    what: str
    contribution: float


class Label(_Told):
    """A tag; with reasons, the intercept and the contributions that add up to its logit."""

    tag: str
    probability: float
    decided: bool
    logit: float | None = None
    start: float | None = None
    contributions: dict[str, float] | None = None
    because: list[Reason] | None = None


class Voter(_Told):
    """A near training row."""

    row: int
    id: str | None
    text: str | None
    tags: list[str]
    distance: float
    weight: float
    picture: str | None


class Answer(_Told):
    """The answer for one row; with reasons, the rows that voted, by evidence."""

    id: str | None
    tags: list[str]
    labels: list[Label]
    voters: dict[str, list[Voter]] | None = None


class Answers(_Told):
    """One answer for each row, in order, and notes about unusual cells."""

    answers: list[Answer]
    notes: list[str]


class About(_Told):
    """A description of the model."""

    name: str
    method: str
    n_labels: int
    labels: list[str]
    columns: list[dict[str, Any]]
    explains: bool
    limits: dict[str, float]
    dlst: str


class Health(_Told):
    """Whether the model answers."""

    status: str


class Problem(_Told):
    """The reason why there is no answer."""

    error: str
    row: int | None = None
    column: str | None = None


MEANINGS = {
    400: "no JSON",
    401: "no token, or a wrong one",
    408: "the body arrived too slowly",
    413: "too many bytes or rows",
    415: "not sent as application/json",
    422: "rows that the model cannot read",
    503: "too busy, or out of time",
}


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Describe refusals."""
    return {each: {"model": Problem, "description": MEANINGS[each]} for each in statuses}


def request_body(subject: Subject, limits: Limits) -> dict[str, Any]:
    """Describe rows: one, or a list of them."""
    rows = {"type": "array", "items": subject.row_schema, "minItems": 1, "maxItems": limits.rows}
    return {
        "required": True,
        "content": {
            "application/json": {
                "schema": {"anyOf": [rows, subject.row_schema], "title": "Rows"},
                "example": [subject.example],
            }
        },
    }
