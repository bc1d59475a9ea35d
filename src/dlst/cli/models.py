"""A model with a reader of its data: tables by their columns, matrices by their names."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import typer

from dlst._nearest import did_you_mean
from dlst.cli.data_commands import load_data, load_raw, parse_labels
from dlst.cli.predictions import PredictedRows, one_block, row_blocks
from dlst.data import Dataset
from dlst.data.tables.raw import RawTable, format_of_table, is_table, raw_frames
from dlst.errors import DataError
from dlst.inputs import Tally
from dlst.inputs.table import TableEncoder
from dlst.methods import MultiLabelClassifier
from dlst.methods.fitting import in_line_with
from dlst.persistence import load_model
from dlst.tagging import Tagger
from dlst.tagging.tables import encoded, frame_of, placed, with_folder


class UsedModel(ABC):
    """A fitted model with a way to its data."""

    method: MultiLabelClassifier
    label_names: list[str]

    @abstractmethod
    def load(
        self,
        data: str,
        labels: str | None,
        from_: str | None,
        encoding: str | None = None,
        *,
        judged: bool = False,
    ) -> Dataset:
        """Read data for the model, with labels where there are any; to be judged, they must be."""

    @abstractmethod
    def ready(self, data: Dataset) -> Dataset:
        """Return rows with the features and labels of the model."""

    @abstractmethod
    def explained(self, data: Dataset, row: int, top: int, voters: int) -> dict[str, Any]:
        """Explain one row in plain values."""

    @abstractmethod
    def predicted(self, data: Dataset, keep: bool) -> Iterator[PredictedRows]:
        """Predict rows block by block."""

    def predicted_file(
        self, path: Path, keep: bool, encoding: str | None
    ) -> Iterator[PredictedRows] | None:
        """Predict a file while it is read; None where a file is read whole."""
        return None

    def decide_by(self, rule: str) -> None:
        """Let another rule decide than the one that the model was fitted with."""
        known = ("own", "top", *self.method.learnt_rules())
        if rule not in known:
            remedy = did_you_mean(rule, known) or " Fit with --decision f1 to learn all rules."
            raise DataError(
                f"--decision must be one of {', '.join(known)} for this model; got {rule!r}."
                f"{remedy}"
            )
        self.method.set_params(decision=rule)

    def columns(self) -> list[dict[str, str]]:
        """Say how the columns of a table were read; nothing for a matrix."""
        return []


class MatrixModel(UsedModel):
    """A method that was fitted to a matrix of features."""

    def __init__(self, model: MultiLabelClassifier):
        self.method = model
        self.label_names = list(model.label_names_)

    def load(
        self,
        data: str,
        labels: str | None,
        from_: str | None,
        encoding: str | None = None,
        *,
        judged: bool = False,
    ) -> Dataset:
        """Read data, and bring columns to the model's order."""
        dataset = load_data(
            data, labels, None, from_, None, encoding=encoding, labels_optional=True
        )
        if judged and not dataset.n_labels:
            raise DataError(
                f"{dataset.name}: has no labels to compare with. Name them with --labels."
            )
        return in_line_with(self.method, dataset)

    def ready(self, data: Dataset) -> Dataset:
        """Return the data: they are in line with the model."""
        return data

    def explained(self, data: Dataset, row: int, top: int, voters: int) -> dict[str, Any]:
        """Explain by numbers of rows."""
        asked = data.X[[row]]
        found, predicted = self.method.explain(asked), self.method.predict_all(asked)
        (facts,) = found.of_rows(predicted, self.label_names, top=top, voters=voters)
        for voter in itertools.chain(*facts["voters"].values()):
            voter |= {"id": None, "text": None, "tags": None}
        return {"row": row, "id": None, "text": None, **facts}

    def predicted(self, data: Dataset, keep: bool) -> Iterator[PredictedRows]:
        """Predict the features."""
        if keep:
            raise DataError("--keep goes with models that were fitted to a table.")
        return row_blocks(self.method, data.X, {})


class TableModel(UsedModel):
    """A tagger, which reads the columns of a table."""

    def __init__(self, tagger: Tagger):
        self.tagger = tagger
        self.method = tagger.method_
        self.label_names = list(tagger.label_names_)

    def load(
        self,
        data: str,
        labels: str | None,
        from_: str | None,
        encoding: str | None = None,
        *,
        judged: bool = False,
    ) -> Dataset:
        """Read data; label columns are those of the training table, when they are there."""
        # A known data set has labels of its own.
        remembered = self.tagger.label_columns_ if Path(data).exists() else None
        is_csv = format_of_table(data, from_) == "csv"
        return load_raw(  # type: ignore[no-any-return]
            data,
            parse_labels(labels) if labels else remembered or None,
            from_,
            columns=self.tagger.encoder_.kinds(),
            label_delimiter=self.tagger.label_delimiter_,
            delimiter=self.tagger.delimiter_ if is_csv else None,
            encoding=encoding,
            labels_optional=labels is None and not judged,
        )

    def ready(self, data: Dataset) -> Dataset:
        """Encode the columns; unusual cells and labels are reported."""
        tally = Tally()
        found, strange = encoded(self.tagger, data, tally)
        tell(tally)
        if strange:
            typer.echo(
                "note: labels that are not known to the model and are not judged "
                f"({len(strange)}): {', '.join(strange[:5])}{', …' if len(strange) > 5 else ''}",
                err=True,
            )
        return found

    def explained(self, data: Dataset, row: int, top: int, voters: int) -> dict[str, Any]:
        """Explain by words, cells and training rows."""
        frame = frame_of(self.tagger, data.subset([row]))
        with placed(data.table):
            found = self.tagger.explain(frame, top=top, voters=voters).rows[0]
        return {**found, "row": row}

    def columns(self) -> list[dict[str, str]]:
        """Say how the columns were read."""
        return [asdict(column) for column in self.tagger.encoder_.columns_]

    def predicted(self, data: Dataset, keep: bool) -> Iterator[PredictedRows]:
        """Predict the rows of a table in memory."""
        tally, table = Tally(), data.table
        # Paths of pictures are written as they were read.
        frame = frame_of(self.tagger, data) if table is None else table.frame.reset_index(drop=True)
        yield from self._predicted(frame, keep, tally, table)
        tell(tally)

    def predicted_file(
        self, path: Path, keep: bool, encoding: str | None
    ) -> Iterator[PredictedRows] | None:
        """Predict a table while it is read, in bounded memory."""
        return self._streamed(path, keep, encoding) if is_table(path) else None

    def _streamed(self, path: Path, keep: bool, encoding: str | None) -> Iterator[PredictedRows]:
        tally = Tally()
        encoder: TableEncoder = self.tagger.encoder_
        # What is kept is written as it was read: 1.50 stays 1.50.
        numbers = () if keep else encoder.names_of("number")
        for frame, place in raw_frames(path, numbers, self.tagger.delimiter_, encoding):
            table = RawTable.whole(frame, place)
            yield from self._predicted(frame, keep, tally, table)
        tell(tally)

    def _predicted(
        self, frame: Any, keep: bool, tally: Tally, table: RawTable | None
    ) -> Iterator[PredictedRows]:
        encoder: TableEncoder = self.tagger.encoder_
        kept = encoder.kept(frame, everything=keep)
        if not len(frame):
            yield one_block(self.method, kept)
            return
        with placed(table):
            found = frame
            if table is not None:
                found = with_folder(frame, encoder.names_of("image"), table.folder)
            X = self.tagger.encode(found, tally)
        yield from row_blocks(self.method, X, kept)


def open_model(path: Path) -> UsedModel:
    """Load a model file that the commands can use."""
    model = load_model(path)
    try:
        return used_model(model)
    except TypeError as error:
        raise DataError(
            f"{path}: expected a method of `dlst methods` fitted to labels, got another "
            f"{type(model).__name__}. Use it from Python, with dlst.load_model."
        ) from error


def used_model(model: Any) -> UsedModel:
    """Wrap a fitted tagger or method, so that it reads its own data."""
    if isinstance(model, Tagger) and hasattr(model, "method_"):
        return TableModel(model)
    is_method = isinstance(model, MultiLabelClassifier) and hasattr(model, "n_labels_")
    if is_method and model._targets.is_indicator:
        return MatrixModel(model)
    raise TypeError(f"no fitted model of ours: {type(model).__name__}")


def tell(tally: Tally) -> None:
    """Say on stderr what was unusual about the rows."""
    for note in tally.notes():
        typer.echo(f"note: {note}", err=True)
