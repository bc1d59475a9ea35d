"""Where the tests find real data and reference outputs."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from threadpoolctl import threadpool_limits

# Compiling counts as part of an example, so no deadline; the suite tries the same examples every
# time, `make fuzz` new ones.
settings.register_profile("suite", deadline=None, derandomize=True)
settings.register_profile("fuzz", deadline=None)
settings.load_profile("fuzz" if "DLST_FUZZ_EXAMPLES" in os.environ else "suite")

# Several folders have a file of this name: none is a module to look for doctests in.
collect_ignore_glob = ["*conftest.py"]

SHARED = Path(__file__).resolve().parents[2] / "shared"
GOLDEN = Path(__file__).resolve().parent / "golden"


@pytest.fixture(scope="session", autouse=True)
def few_blas_threads():
    """Keep BLAS to one thread: on small problems and busy cores more threads only wait.

    ``make test-processors`` asks for more, to see that no answer depends on their number.
    """
    with threadpool_limits(int(os.environ.get("DLST_BLAS_THREADS", "1")), user_api="blas"):
        yield


@pytest.fixture(scope="session", autouse=True)
def data_home(tmp_path_factory: pytest.TempPathFactory):
    """Point the data home at the shared data where they exist, else at an empty folder."""
    home = SHARED / "data"
    if not home.is_dir():
        home = Path(os.environ.get("DLST_DATA", tmp_path_factory.mktemp("data-home")))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DLST_DATA", str(home))
        yield home


@pytest.fixture(scope="session")
def real_data(data_home: Path) -> Path:
    """Give the folder of the real data sets, or skip."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        pytest.skip("real data sets take minutes without compiled functions")
    if not (data_home / "yeast" / "yeast-train.arff").is_file():
        pytest.skip(f"no real data sets in {data_home}: set DLST_DATA to a folder that has them")
    return data_home


@pytest.fixture(scope="session")
def golden(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with the reference outputs; what lies in parts, to be small, is joined."""
    folder = tmp_path_factory.mktemp("golden")
    parts: dict[str, list[Path]] = {}
    for file in sorted(GOLDEN.glob("*.npz")):
        parts.setdefault(file.name.split(".")[0], []).append(file)
    for name, files in parts.items():
        if len(files) == 1:
            shutil.copyfile(files[0], folder / f"{name}.npz")
        else:
            joined = {key: value for file in files for key, value in np.load(file).items()}
            np.savez(folder / f"{name}.npz", **joined)
    return folder


@pytest.fixture(scope="session")
def cluster():
    """Give a client of a Dask cluster of two processes of this machine, or skip."""
    pytest.importorskip("distributed", reason="no Dask: the extra 'dask' is not installed")
    from dlst.distributed import connected

    with connected(n_workers=2) as client:
        yield client
