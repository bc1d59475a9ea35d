"""DLST on Dask arrays: the fit of the same rows in memory, whoever is killed, little moved."""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time

import numpy as np
import pytest
import scipy.sparse as sp

from dlst.errors import DataError
from dlst.methods import DLST, MLkNN
from dlst.persistence import save_model

da = pytest.importorskip("dask.array", reason="no Dask: the extra 'dask' is not installed")
dask = pytest.importorskip("dask")


@pytest.fixture
def here():
    """Work in this process, block after block."""
    with dask.config.set(scheduler="synchronous"):
        yield


def problem(n=200, n_labels=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)) * [1.0, 2.0, 0.5, 3.0] + 1.0
    W = rng.normal(size=(4, n_labels))
    Y = ((X - 1.0) @ W + 2.0 * rng.normal(size=(n, n_labels)) > 2.0).astype(np.int64)
    return X, Y


def small_dlst(**parameters):
    settings = {"regressor__n_basis": 40, "decoder__k_grid": (5, 10, 20), **parameters}
    return DLST(random_state=3).set_params(**settings)


def blocks(array, rows=60):
    return da.from_array(array, chunks=(rows, -1))


def sparse_blocks(array, rows=60):
    return blocks(array, rows).map_blocks(sp.csr_array, meta=sp.csr_array((0, array.shape[1])))


def assert_equal_models(there, here, X_new):
    for name in ("gamma_", "alpha_"):
        np.testing.assert_allclose(
            getattr(there.regressor_, name), getattr(here.regressor_, name), rtol=1e-9
        )
    assert there.encoder_.log_loss_ == pytest.approx(here.encoder_.log_loss_, abs=1e-9)
    chosen = [
        [
            (getattr(part, "k_", None), getattr(part, "rho_", None))
            for part in each.decoder_.evidences_
        ]
        for each in (there, here)
    ]
    assert chosen[0] == chosen[1]
    lazy = there.predict_proba(blocks(X_new, 33))
    assert isinstance(lazy, da.Array)
    np.testing.assert_allclose(lazy.compute(), here.predict_proba(X_new), atol=1e-6)
    np.testing.assert_allclose(there.predict_proba(X_new), here.predict_proba(X_new), atol=1e-6)


def test_a_worker_killed_in_mid_fit_loses_nothing(cluster):
    X, Y = problem(600)
    killed = []

    def kill_one_at_work():
        deadline = time.monotonic() + 60.0
        while not killed and time.monotonic() < deadline:
            busy = [
                worker
                for worker, tasks in cluster.processing().items()
                if any("_moments" in str(task) for task in tasks)
            ]
            if busy:
                (pid,) = cluster.run(os.getpid, workers=busy[:1]).values()
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)
            time.sleep(0.001)

    killer = threading.Thread(target=kill_one_at_work)
    killer.start()
    there = small_dlst().fit(blocks(X, 30), blocks(Y, 30))
    killer.join()
    assert len(killed) == 1
    new = problem(100, seed=1)[0]
    here = small_dlst().fit(X, Y)
    assert_equal_models(there, here, new)
    assert (there.predict(blocks(new)).compute() == here.predict(new)).all()
    top, known = there.predict_top(blocks(new), k=2), here.predict_top(new, k=2)
    assert (top.labels.compute() == known.labels).all()
    np.testing.assert_allclose(top.scores.compute(), known.scores, atol=1e-6)


def test_sampled_calibration_rows_are_the_same(here):
    X, Y = problem(300)
    settings = {"decoder__n_queries": 80, "encoder__n_components": 3}
    there, alone = (
        small_dlst(**settings).fit(*given) for given in ((blocks(X), blocks(Y)), (X, Y))
    )
    assert (there.decoder_.calibration_rows_ == alone.decoder_.calibration_rows_).all()
    assert_equal_models(there, alone, problem(50, seed=1)[0])


def test_unknown_and_constant_labels(here):
    X, Y = problem(240)
    Y = Y.astype(np.float64)
    Y[:, 1] = 0.0
    Y[np.random.default_rng(0).random(Y.shape) < 0.1] = np.nan
    with pytest.warns(UserWarning, match="1 of 5 labels have only one value"):
        there = small_dlst().fit(blocks(X), blocks(Y, 100))
    with pytest.warns(UserWarning, match="1 of 5 labels have only one value"):
        alone = small_dlst().fit(X, Y)
    assert_equal_models(there, alone, problem(50, seed=1)[0])


@pytest.mark.parametrize("scaling", ["standard", "tfidf", "maxabs", "hellinger", "none", "auto"])
def test_sparse_blocks_and_every_scaling(here, scaling):
    rng = np.random.default_rng(0)
    counts = rng.poisson(0.6, size=(150, 12)).astype(np.float64)
    Y = (counts[:, :4] + rng.normal(size=(150, 4)) > 1.0).astype(np.int64)
    settings = {"regressor__n_basis": 30, "decoder__k_grid": (5, 10), "scaling": scaling}
    models = [
        DLST(regression="kernel", random_state=0).set_params(**settings).fit(*given)
        for given in (
            (sparse_blocks(counts), sparse_blocks(Y)),
            (sp.csr_array(counts), sp.csr_array(Y)),
        )
    ]
    assert models[0].scaler_.scaling_ == models[1].scaler_.scaling_
    new = sp.csr_array(rng.poisson(0.6, size=(40, 12)).astype(np.float64))
    P = models[0].predict_proba(sparse_blocks(new.toarray(), 25)).compute()
    np.testing.assert_allclose(P, models[1].predict_proba(new), atol=1e-6)
    decided = models[0].predict(new)
    assert sp.issparse(decided)
    assert (decided != models[1].predict(new)).nnz == 0


def test_what_comes_to_the_client_does_not_grow_with_the_rows(here, monkeypatch):
    received = []
    compute = dask.compute

    def weighed(*asked, **options):
        found = compute(*asked, **options)
        received[-1] += len(pickle.dumps(found))
        return found

    monkeypatch.setattr(dask, "compute", weighed)
    settings = {"regressor__n_basis": 20, "decoder__n_queries": 40, "decoder__k_grid": (5,)}
    for n in (400, 3200):
        X, Y = problem(n, n_labels=3)
        received.append(0)
        # The judge of codes has a number of queries of its own.
        DLST(random_state=0).set_params(**settings, encoder__n_components=None).fit(
            blocks(X, n // 8), blocks(Y, n // 8)
        )
    assert received[1] < 1.5 * received[0]


def test_what_cannot_be_done_on_a_cluster_is_told(here, tmp_path):
    X, Y = problem(100)
    lazy = blocks(X), blocks(Y)
    with pytest.raises(DataError, match=r"MLkNN must have its rows in memory; got Dask arrays"):
        MLkNN().fit(*lazy)
    with pytest.raises(DataError, match="Y must be a Dask array where X is one; got ndarray"):
        DLST().fit(lazy[0], Y)
    with pytest.raises(DataError, match="the same rows; got 100 and 60"):
        DLST().fit(lazy[0], lazy[1][:60])
    with pytest.raises(DataError, match="must have regression='kernel'; got 'linear'"):
        DLST(regression="linear").fit(*lazy)
    with pytest.raises(DataError, match="must have its default parts"):
        DLST().set_params(decoder__enrichment=0.3).fit(*lazy)
    with pytest.raises(DataError, match="at least 30 rows; got 20"):
        DLST().fit(lazy[0][:20], lazy[1][:20])
    with pytest.raises(DataError, match="mostly zero"):
        DLST().fit(blocks(np.where(X > 4.0, X, 0.0)), lazy[1])
    with pytest.raises(DataError, match="must know the lengths of its blocks"):
        DLST().fit(lazy[0][lazy[0][:, 0] > 0], lazy[1])
    with pytest.raises(DataError, match="known label; got NaN only in row 7"):
        DLST().fit(lazy[0], blocks(np.where(np.arange(100)[:, None] == 7, np.nan, Y)))
    model = small_dlst().fit(*lazy)
    with pytest.raises(DataError, match="explain must have rows and model in memory"):
        model.explain(X)
    with pytest.raises(DataError, match="whose rows lie on a cluster"):
        save_model(model, tmp_path / "model.skops")
    with pytest.raises(DataError, match="X must have 4 features; got 3"):
        model.predict_proba(lazy[0][:, :3])


def test_a_model_in_memory_answers_dask_arrays(here):
    X, Y = problem(100)
    model = small_dlst().fit(X, Y)
    np.testing.assert_allclose(
        model.predict_proba(blocks(X, 30)).compute(), model.predict_proba(X), atol=1e-12
    )
    np.testing.assert_allclose(model.transform(blocks(X)).compute(), model.transform(X), atol=1e-12)
    again = small_dlst().fit(blocks(X), blocks(Y)).fit(X, Y)
    assert (again.predict_proba(X) == model.predict_proba(X)).all()
