"""Threads of ours: in order, bounded, with BLAS alone, and the same bytes whatever their number."""

from __future__ import annotations

import threading
from contextvars import ContextVar

import numpy as np
import pytest
from joblib import effective_n_jobs
from threadpoolctl import threadpool_info, threadpool_limits

from dlst import _threads
from dlst._threads import (
    allowed_threads,
    free_cores,
    in_threads,
    one_blas_thread,
    threads,
    usable_cores,
)
from dlst.methods import DLST, LinearDLST


def blas_threads():
    return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}


def test_results_come_in_order_and_few_wait():
    started = []

    def noted(item):
        started.append(item)
        return item, threading.get_ident()

    found = in_threads(noted, range(20), n_jobs=3)
    assert next(found)[0] == 0
    assert len(started) <= 4
    assert [item for item, _ in found] == list(range(1, 20))
    assert {thread for _, thread in in_threads(noted, range(9), 1)} == {threading.get_ident()}


def test_what_was_planned_holds_in_threads_and_errors_come_back():
    planned = ContextVar("planned", default=0)
    planned.set(7)
    assert list(in_threads(lambda _: planned.get(), range(4), n_jobs=2)) == [7] * 4
    with pytest.raises(ZeroDivisionError):
        list(in_threads(lambda item: 1 // item, [1, 0], n_jobs=2))


def test_blas_has_one_thread_within():
    with one_blas_thread():
        assert blas_threads() == {1}
    with threads(2):
        assert blas_threads() == {1}
        assert effective_n_jobs(None) == allowed_threads() == 2
        # Threads within threads are none.
        assert list(in_threads(lambda _: effective_n_jobs(None), range(2))) == [1, 1]
    assert effective_n_jobs(None) == 1


def test_the_limit_of_blas_lasts_until_the_last_has_done():
    with threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        first, second = one_blas_thread(), one_blas_thread()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert blas_threads() == {1}
        second.__exit__(None, None, None)
        assert blas_threads() == before


def test_free_cores_are_those_that_nobody_works_on(monkeypatch):
    for name in _threads.VARIABLES:
        monkeypatch.delenv(name, raising=False)
    cores = usable_cores()
    monkeypatch.setattr(_threads, "_others_running", lambda: 0)
    assert free_cores() == cores
    monkeypatch.setattr(_threads, "_others_running", lambda: 10 * cores)
    assert free_cores() == 1
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert usable_cores() == 1


@pytest.mark.parametrize("held", [10_000_000, 0], ids=["held", "streamed"])
def test_the_bytes_of_a_fit_do_not_depend_on_threads(monkeypatch, held):
    monkeypatch.setattr("dlst.regressors.kernel_ridge.HELD_ENTRIES", held)
    monkeypatch.setattr("dlst.regressors.streamed.block_rows", lambda _: 50)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(180, 4))
    Y = (X @ rng.normal(size=(4, 3)) + rng.normal(size=(180, 3)) > 0).astype(int)
    for method in (DLST, LinearDLST):
        found = {
            method(random_state=0, n_jobs=n_jobs).fit(X, Y).predict_proba(X).tobytes()
            for n_jobs in (1, 2, 3, None)
        }
        assert len(found) == 1


def test_a_number_of_threads_is_a_number():
    with pytest.raises(ValueError, match="n_jobs must be"):
        DLST(n_jobs=0).fit(np.eye(4), np.eye(4))
