"""Metrics of a family have its signature, and docstrings as if they were written by hand."""

from __future__ import annotations

import inspect
import pickle

import pytest

import dlst.metrics as m
from dlst.metrics._families import family
from dlst.metrics.registry import METRICS


def frame(compute, unit, Y, *, scale=1.0):
    """Scale what is computed.

    Parameters
    ----------
    Y : number
    scale : float
        By how much, for each {unit} of {size}.
    """
    return scale * compute(Y)


@family(frame, "instance")
def doubled(Y):
    """Twice the number.

    Two lines of text.

    Examples
    --------
    >>> doubled(3)
    6.0
    """
    return 2 * Y


def test_the_frame_calls_the_computation():
    assert doubled(3, scale=10.0) == 60.0


def test_signature_and_name_are_those_of_a_plain_function():
    assert str(inspect.signature(doubled)) == "(Y, *, scale=1.0)"
    assert doubled.__name__ == "doubled"
    assert doubled.__module__ == __name__


def test_shared_sections_stand_between_the_own_words_and_the_own_sections():
    assert doubled.__doc__.splitlines() == [
        "Twice the number.",
        "",
        "Two lines of text.",
        "",
        "Parameters",
        "----------",
        "Y : number",
        "scale : float",
        "    By how much, for each instance of n.",
        "",
        "Examples",
        "--------",
        ">>> doubled(3)",
        "6.0",
    ]


@pytest.mark.parametrize("name", METRICS)
def test_metrics_are_found_again_by_other_processes(name):
    assert pickle.loads(pickle.dumps(getattr(m, name))) is getattr(m, name)  # noqa: S301


@pytest.mark.parametrize("name", ["macro_f1", "micro_recall", "coverage", "ndcg_at_k"])
def test_an_unknown_option_is_refused(name):
    with pytest.raises(TypeError, match="weigth"):
        getattr(m, name)([[1, 0]], [[1, 0]], weigth=1)
