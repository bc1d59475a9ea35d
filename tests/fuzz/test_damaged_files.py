"""Damaged files of every type: a data set or one documented error, soon, in little memory.

`make fuzz` runs 2,000 mutations of each type; the suite a small budget of them.
"""

from __future__ import annotations

import gzip
import os
import resource
import shutil
import tracemalloc
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dlst.data import Dataset, load, load_multidigits, save
from dlst.errors import DlstError, ReadError

EXAMPLES = int(os.environ.get("DLST_FUZZ_EXAMPLES", "25"))
GIB = 2**30
SEED_ROWS = 12

# What tends to find mistakes: signs of the formats, absurd numbers, bytes of other encodings.
SPICE = [
    b",", b" ", b"\n", b"\r\n", b"{", b"}", b"'", b'"', b"\\", b"%", b"?", b":", b";", b"\t", b"#",
    b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"@data\n", b"@attribute x numeric\n", b"@attribute '",
    b"-1", b"0", b"1e999", b"nan", b"9999999999", b"1000000000 1000000000 1000000000\n",
    b"999999999999999999999999", b"0:1", b"1,2,3", b"<label name='x'/>", b"]]>", b"&a;",
    b"[", b"]", b'{"a": 1}\n', b'"a": {}, ', b"NaN", b"Infinity", b"null", b"\\ud800", b"[[[[",
    b"../../etc/passwd", b"\x7f\xff\xff\xff", b"\xff\xff\xff\xff\xff\xff\xff\xff",
]  # fmt: skip


@st.composite
def damage(draw):
    """Return a function from bytes to damaged bytes."""
    steps = draw(
        st.lists(
            st.tuples(
                st.sampled_from(["flip", "cut", "drop", "insert", "repeat", "swap"]),
                st.floats(0, 1, exclude_max=True),
                st.floats(0, 1, exclude_max=True),
                st.one_of(st.sampled_from(SPICE), st.binary(min_size=1, max_size=6)),
            ),
            min_size=1,
            max_size=6,
        )
    )

    def apply(content: bytes) -> bytes:
        for kind, where, other, spice in steps:
            i = int(where * len(content))
            j = min(len(content), i + 1 + int(other * 60))
            if kind == "flip" and content:
                content = (
                    content[:i] + bytes([content[i] ^ (1 << int(other * 8))]) + content[i + 1 :]
                )
            elif kind == "cut":
                content = content[:i]
            elif kind == "drop":
                content = content[:i] + content[j:]
            elif kind == "insert":
                content = content[:i] + spice + content[i:]
            elif kind == "repeat":
                content = content[:j] + content[i:j] * 3 + content[j:]
            else:
                k = int(other * len(content))
                i, k = min(i, k), max(i, k)
                content = content[k:] + content[i:k] + content[:i]
        return content

    return apply


def small_real(real_data: Path, name: str) -> Dataset:
    return load(real_data / name).subset(slice(0, SEED_ROWS))


@pytest.fixture(scope="session")
def seeds(tmp_path_factory, data_home):
    """One small real file of each type in a folder of its own; the damaged one comes second."""
    root = tmp_path_factory.mktemp("seeds")
    if (data_home / "emotions" / "emotions-test.arff").is_file():
        dense = small_real(data_home, "emotions/emotions-test.arff")
        sparse = small_real(data_home, "medical/medical-test.arff")
    else:
        dense = load_multidigits().subset(slice(0, SEED_ROWS))
        sparse = Dataset(load_multidigits().X[:SEED_ROWS], dense.Y)
    made: dict[str, Path] = {}
    for kind, data, name in [
        ("dense-arff", dense, "f.arff"),
        ("sparse-arff", sparse, "f.arff"),
        ("xml", dense, "f.arff"),
        ("arff-gz", dense, "f.arff.gz"),
        ("xc", sparse, "f.xc"),
        ("libsvm", sparse, "f.svm"),
        ("csv", dense, "f.csv"),
        ("csv-gz", dense, "f.csv.gz"),
        ("jsonl", dense, "f.jsonl"),
        ("jsonl-gz", dense, "f.jsonl.gz"),
        ("json", dense, "f.json"),
        ("parquet", dense, "f.parquet"),
        ("mat", dense, "f.mat"),
        ("sparse-mat", sparse, "f.mat"),
    ]:
        folder = root / kind
        folder.mkdir()
        save(data, folder / name)
        made[kind] = folder / ("f.xml" if kind == "xml" else name)
    made |= official_folders(root, dense)
    return made


def official_folders(root: Path, data: Dataset) -> dict[str, Path]:
    """Make the label files of the official folders with a few real label sets."""
    voc, nus = root / "voc", root / "nus"
    voc.mkdir()
    nus.mkdir()
    Y = data.Y.toarray().astype(int)
    for j, name in enumerate(["cat", "dog"]):
        for side, rows in (("trainval", Y[:6]), ("test", Y[6:])):
            lines = [f"{i:06d} {2 * row[j] - 1:2d}" for i, row in enumerate(rows)]
            (voc / f"{name}_{side}.txt").write_text("\n".join(lines) + "\n")
    names = "".join(f"{j}\t{name}\n" for j, name in enumerate("abcdef"))
    (nus / "label_ids.txt").write_text(names)
    lines = [f"{i}\t{' '.join(str(j) for j in np.flatnonzero(row))}\n" for i, row in enumerate(Y)]
    (nus / "mul_label_ids.txt").write_text("".join(lines))
    return {"voc": voc / "cat_trainval.txt", "nus-wide": nus / "mul_label_ids.txt"}


KINDS = [
    "dense-arff", "sparse-arff", "xml", "arff-gz", "xc", "libsvm", "csv", "csv-gz", "jsonl",
    "jsonl-gz", "json", "parquet", "mat", "sparse-mat", "voc", "nus-wide",
]  # fmt: skip


def read_damaged(kind: str, damaged: Path) -> None:
    """Load the folder or file whose seed is damaged, and accept only what is documented."""
    try:
        target = damaged.parent if kind in ("voc", "nus-wide") else damaged
        if kind == "xml":
            target = damaged.with_name("f.arff")
        data = load(target)
    except ReadError as error:
        assert Path(error.path).is_relative_to(damaged.parent), error
        assert str(error).startswith(error.path)
        assert error.line is None or error.line >= 1
        assert "\n" not in str(error).strip()
    except DlstError as error:
        assert str(error)
    else:
        assert data.X.shape[0] == data.Y.shape[0]


@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_file_gives_data_or_one_documented_error(kind, seeds, tmp_path):
    seed = seeds[kind]
    folder = tmp_path / "damaged"
    shutil.copytree(seed.parent, folder)
    damaged = folder / seed.name
    original = seed.read_bytes()
    packed = kind.endswith("-gz")

    # Hypothesis counts the seconds so that a hang fails; nothing here is about speed.
    @settings(
        max_examples=EXAMPLES,
        deadline=timedelta(seconds=120),
        suppress_health_check=list(HealthCheck),
        database=None,
    )
    @given(damage(), st.booleans())
    def run(apply, inside):
        if packed and inside:
            damaged.write_bytes(gzip.compress(apply(gzip.decompress(original)), 1))
        else:
            damaged.write_bytes(apply(original))
        tracemalloc.start()
        try:
            read_damaged(kind, damaged)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < GIB

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    read_damaged(kind, damaged)
    run()
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert (after - before) * 1024 < GIB, "memory outside Python's view"
