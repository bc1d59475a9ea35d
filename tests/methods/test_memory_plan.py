"""Memory is reckoned before a fit starts."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from dlst import _memory
from dlst._memory import as_bytes, block_rows, free_memory, memory_budget
from dlst.errors import MemoryPlanError
from dlst.methods import DLST, LinearDLST, PaperDLST, memory_plan
from dlst.methods.memory_plan import Shape, fixed_bytes
from dlst.regressors import KernelRidge

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 5))
Y = (X[:, :3] + RNG.normal(size=(60, 3)) > 0).astype(float)


@pytest.mark.parametrize(
    ("text", "size"), [("2g", 2**31), ("500 MB", 500 * 2**20), ("7", 7), (7, 7), ("1.5KiB", 1536)]
)
def test_sizes_are_read(text, size):
    assert as_bytes(text) == size


@pytest.mark.parametrize("wrong", ["much", -1, 0, "4 GiB please", True, "1.2.3g"])
def test_other_sizes_are_refused_when_fitting(wrong):
    with pytest.raises(ValueError, match="max_memory must be"):
        DLST(max_memory=wrong).fit(X, Y)


def test_what_cannot_fit_is_refused_before_it_starts_with_what_would(monkeypatch):
    monkeypatch.setattr(KernelRidge, "prepare", None)
    with pytest.raises(MemoryPlanError, match=r"60 rows of 5 features and 3 labels .* needs about"):
        DLST(max_memory="1MB").fit(X, Y)


def test_a_million_rows_are_refused_by_a_small_machine_without_being_touched(monkeypatch):
    monkeypatch.setattr(memory_plan, "free_memory", lambda: 2**30)
    wide = sp.csr_array((1_000_000, 100))
    regressor = KernelRidge()
    shape = Shape.of(wide, sp.csr_array((1_000_000, 81)), regressor)
    assert shape == (1_000_000, 100, 81, 1000, 0)
    with pytest.raises(MemoryPlanError) as refused, memory_plan.planned(shape, None):
        pytest.fail("it was begun")
    for word in ("GiB are free", "regressor__n_basis", "max_memory", "dlst[dask]"):
        assert word in str(refused.value)


def test_as_many_rows_as_the_error_says_would_fit():
    shape = Shape(1_000_000, 100, 81, 1000)
    allowed = 2 * 2**30
    with pytest.raises(MemoryPlanError) as refused, memory_plan.planned(shape, allowed):
        pass
    words = str(refused.value).split()
    fewer = int(words[words.index("Fit") + 1])
    assert 100_000 < fewer < 1_000_000
    assert fixed_bytes(shape._replace(n=fewer)) <= allowed


def test_blocks_keep_to_the_memory_and_results_do_not_change():
    plain = DLST(random_state=0).fit(X, Y).predict_proba(X)
    least = fixed_bytes(Shape(60, 5, 3, 60, 3600)) + 33 * 2**20
    small = DLST(random_state=0, max_memory=least).fit(X, Y).predict_proba(X)
    np.testing.assert_allclose(small, plain, atol=1e-10)
    with memory_budget(32 * 8 * 1000 * 50):
        assert block_rows(1000) == 50
    assert block_rows(1000) == _memory.BLOCK_BYTES // 8000


def test_only_kernels_are_planned():
    LinearDLST(max_memory="1MB").fit(X, Y)
    with pytest.raises(MemoryPlanError):
        PaperDLST(max_memory="1MB").fit(X, Y)


def test_the_machine_says_what_is_free(tmp_path):
    found = free_memory()
    assert found is None or found > 2**20
    (tmp_path / "memory.max").write_text("1000\n")
    (tmp_path / "memory.current").write_text("400\n")
    assert _memory._free_in_group(tmp_path) == 600
    (tmp_path / "memory.max").write_text("max\n")
    assert _memory._free_in_group(tmp_path) is None
