"""Coverage-guided fuzzing of a reader or of the model loader, with atheris.

``python .ci/fuzz.py KIND [-runs=N] [-max_total_time=SECONDS]``; ``make fuzz`` does it for every
KIND. The compiled functions run as plain Python here, so that the fuzzer sees their branches too.
What a file may give is data or one of our errors; anything else stops the run and leaves the file
behind as ``crash-…``.
"""

from __future__ import annotations

import os
import sys
import tempfile
import warnings
from pathlib import Path

os.environ["NUMBA_DISABLE_JIT"] = "1"
# Wrapping arithmetic, which compiled functions do in silence.
warnings.simplefilter("ignore")

import atheris  # noqa: E402

with atheris.instrument_imports(include=["dlst"]):
    import dlst.data.arff.rows_kernel
    import dlst.data.sparse_text.rows_kernel
    import dlst.data.tables.csv_records_kernel
    import dlst.data.text.number_lines_kernel  # noqa: F401
    from dlst.data import Dataset, load, load_multidigits, save
    from dlst.errors import DlstError
    from dlst.persistence import load_model, save_model

FILES = {
    "arff": "f.arff",
    "sparse-arff": "f.arff",
    "xml": "f.xml",
    "xc": "f.xc",
    "libsvm": "f.svm",
    "csv": "f.csv",
    "jsonl": "f.jsonl",
    "json": "f.json",
    "parquet": "f.parquet",
    "mat": "f.mat",
    "nus-wide": "mul_label_ids.txt",
    "model": "m.skops",
}
"""The file that is made of the fuzzer's bytes, for each kind."""


def seed(kind: str, folder: Path) -> None:
    """Make a small valid folder, whose file the fuzzer begins with."""
    data = load_multidigits().subset(slice(0, 4))
    small = Dataset(data.X[:, 20:26], data.Y[:, :3], label_names=["a", "b", "c"])
    if kind == "model":
        from sklearn.linear_model import Ridge

        save_model(Ridge(), folder / "m.skops")
    elif kind == "nus-wide":
        (folder / "label_ids.txt").write_text("0\ta\n1\tb\n")
        (folder / "mul_label_ids.txt").write_text("0\t0 1\n1\t1\n2\t\n")
    elif kind == "sparse-arff":
        from dlst.data import write_arff

        write_arff(small, folder / "f.arff", sparse=True)
    else:
        save(small, folder / ("f.arff" if kind == "xml" else FILES[kind]))


def main(kind: str, arguments: list[str]) -> None:
    """Fuzz one kind until the runs or the seconds of the arguments are spent."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        seed(kind, folder)
        file = folder / FILES[kind]
        corpus = folder / "seeds"
        corpus.mkdir()
        (corpus / "valid").write_bytes(file.read_bytes())
        target = {"nus-wide": folder, "xml": folder / "f.arff"}.get(kind, file)

        def read(content: bytes) -> None:
            file.write_bytes(content)
            try:
                load_model(file) if kind == "model" else load(target)
            except DlstError as error:
                if not str(error) or "\n" in str(error).strip():
                    raise AssertionError(f"not one line: {error!r}") from error

        atheris.Setup([sys.argv[0], *arguments, str(corpus)], read)
        atheris.Fuzz()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--kinds"]:
        print(*FILES)
    elif len(sys.argv) < 2 or sys.argv[1] not in FILES:
        sys.exit(f"KIND must be one of {', '.join(FILES)}")
    else:
        main(sys.argv[1], sys.argv[2:])
