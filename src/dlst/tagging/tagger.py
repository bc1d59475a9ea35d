"""The whole way in one estimator: a table in, tags with probabilities and reasons out."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils import gen_batches
from sklearn.utils.validation import check_is_fitted

from dlst._checked_rows import check_enough_rows
from dlst._parameters import integer, with_parameters
from dlst.data.tables.labels import Labels, in_order_of
from dlst.errors import DataError
from dlst.inputs import InputNote, TableEncoder, Tally, as_frame
from dlst.inputs.frames import is_texts
from dlst.inputs.strings import Strings
from dlst.inputs.table import encoder_of
from dlst.methods import AnyClassifier, MultiLabelClassifier, Predictions, make
from dlst.methods.scaling import take_as_they_are
from dlst.metrics import micro_f1
from dlst.tagging.columns import best_tags, decided_tags, prediction_columns
from dlst.tagging.examples import Examples
from dlst.tagging.explanation import TagExplanation, explain_rows
from dlst.tagging.targets import are_columns, read_tags, tags_in_frame


@with_parameters
class Tagger(BaseEstimator):  # type: ignore[misc]
    """Learn to tag rows of a table: texts, categories, numbers, dates and images.

    A :class:`~dlst.inputs.TableEncoder` makes features of the columns, a method of
    :func:`dlst.methods.available` learns the tags. Both are fitted on the rows given to ``fit``
    alone and saved together, so a new row is read as the training rows were.

    Parameters
    ----------
    method : str or method
        A name such as ``"dlst"``, an estimator such as ``DLST(decision="micro")``, or any
        classifier, as :class:`~dlst.methods.AnyClassifier` takes it.
    columns : mapping or TableEncoder, optional
        Kinds of columns, where they should not be guessed, such as ``{"text": ["title", "body"],
        "id": "number", "drop": "author"}``, or an encoder with settings of its own.
    label_delimiter : str, optional
        Between the tags of one cell; by default the first of line end, ``;``, ``|`` and ``,``
        that some cell holds.
    keep_examples : bool
        Whether the beginnings of the training texts (and small pictures) go into the model, so
        that explanations can show who voted. Set it to False if the model goes to people who may
        not see them.
    random_state : int, RandomState or None
        Seed of the method, where it has none of its own.

    Attributes
    ----------
    classes_ : ndarray of str, shape (K,)
        The tags.
    encoder_, method_ : fitted parts
    label_columns_ : list of str
        Columns that held the tags, when they came with the rows; they are left out of new rows.
    label_delimiter_, delimiter_ : str or None
        Between the tags of a cell; between the fields of the training file, where it was given.

    Examples
    --------
    >>> texts = ["cheap flights to Rome", "Rome hotel, sea view", "fix the printer", "printer jam"]
    >>> tagger = Tagger("br", random_state=0)
    >>> tags = [["travel"], ["travel", "sea"], ["office"], ["office"]]
    >>> tagger.fit(texts * 5, tags * 5).predict_tags(["a printer"])
    [['office']]
    >>> tagger.classes_.tolist()
    ['office', 'sea', 'travel']
    """

    method: Any = "dlst"
    _: KW_ONLY
    columns: Mapping[str, Any] | TableEncoder | None = None
    label_delimiter: str | None = None
    keep_examples: bool = True
    random_state: Any = None

    def fit(self, X: Any, tags: Any, sample_weight: Any = None) -> Tagger:
        """Learn from rows and their tags.

        Parameters
        ----------
        X : frame (pandas, polars, pyarrow), list of dicts, list of texts, or 2-D array
        tags : str, list of lists, list of texts such as ``"a;b"``, frame or indicator
            A ``str`` names the column of ``X`` that holds them, or is a pattern such as
            ``"tag_*"`` for columns of 0 and 1, whose names may also come in a list. None and NaN
            are rows of unknown tags.
        sample_weight : array-like of shape (n,), optional
            How often each row counts to the method; columns are read by all rows alike. Methods
            without a place for weights refuse them.
        """
        frame = as_frame(X)
        columns: list[str] = []
        if isinstance(tags, str) or are_columns(tags, frame):
            frame, labels, columns = tags_in_frame(frame, tags, self.label_delimiter)
        else:
            labels = read_tags(tags, self.label_delimiter)
        if labels.Y.shape[0] != len(frame):
            raise DataError(
                f"X and tags must have the same number of rows; got {len(frame)} and "
                f"{labels.Y.shape[0]}."
            )
        self.fit_labels(X if is_texts(X) else frame, labels, sample_weight)
        self.label_columns_ = columns
        return self

    def fit_labels(self, X: Any, labels: Labels, sample_weight: Any = None) -> Tagger:
        """Learn from rows and labels that are read already."""
        frame = as_frame(X)
        check_enough_rows(len(frame))
        self.label_columns_ = []
        self.delimiter_: str | None = None
        if not labels.names:
            raise DataError("tags must name at least one tag; got none in any row.")
        if (unknown := labels.unknown_rows.size) == len(frame):
            raise DataError(
                f"tags must be known in some rows; got {unknown:,} rows that are empty or say "
                "N/A. Tag some of them."
            )
        if unknown:
            warnings.warn(
                f"{unknown:,} of {len(frame):,} rows have unknown tags (None, NaN or N/A) and "
                "teach nothing; a row without tags has an empty list or text.",
                InputNote,
                stacklevel=3,
            )
        self.label_names_ = Strings(labels.names)
        self.label_delimiter_ = labels.delimiter
        self.encoder_ = self._encoder()
        features = self.encoder_.fit_transform(X)
        self.method_ = self._method(is_scaled=self.encoder_.is_scaled_)
        given = {} if sample_weight is None else {"sample_weight": sample_weight}
        self.method_.fit(features, labels.Y, **given)
        self.method_.label_names_ = self.label_names_
        self.n_features_in_ = len(frame.columns)
        self.examples_ = Examples(frame, self.encoder_, labels.Y, keep=self.keep_examples)
        return self

    @property
    def classes_(self) -> NDArray[np.object_]:
        """The tags, in the order of all columns of probabilities."""
        return np.array(list(self.label_names_), dtype=object)

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Decide.

        Parameters
        ----------
        X : rows, as ``fit`` takes them

        Returns
        -------
        ndarray of int, shape (n, K)
            An indicator, its columns in the order of ``classes_``.
        """
        decided = [sp.csr_array(block.labels) for block in self._predictions(X)]
        return np.asarray(sp.vstack(decided).toarray(), dtype=np.int64)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Give the probability of each tag.

        Parameters
        ----------
        X : rows, as ``fit`` takes them

        Returns
        -------
        ndarray of shape (n, K)
        """
        return np.vstack([block.probabilities for block in self._predictions(X)])

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Give the scores by which the tags of a row are ranked.

        Parameters
        ----------
        X : rows, as ``fit`` takes them

        Returns
        -------
        ndarray of shape (n, K)
        """
        return np.vstack([block.scores for block in self._predictions(X)])

    def predict_tags(self, X: Any) -> list[list[str]]:
        """Decide, by names.

        Parameters
        ----------
        X : rows, as ``fit`` takes them

        Returns
        -------
        list of lists of str
            The tags of each row, the best-ranked first.
        """
        return [
            tags for block in self._predictions(X) for tags in decided_tags(block, self.classes_)
        ]

    def predict_top(
        self, X: Any, k: int = 5, *, scores: bool = False
    ) -> list[list[tuple[str, float]]]:
        """Give the k best tags of each row with their probabilities, best first.

        Parameters
        ----------
        X : rows
        k : int
        scores : bool
            Give ranking scores, as of :meth:`decision_function`, in place of probabilities.

        Returns
        -------
        list of lists of (str, float)
        """
        integer(at_least=1).check("k", k)
        return [
            tags
            for block in self._predictions(X)
            for tags in best_tags(block, self.classes_, k, scores=scores)
        ]

    def predict_table(
        self, X: Any, *, top: int | None = None, keep: bool = False, probabilities: bool = True
    ) -> pd.DataFrame:
        """Give a frame: ids, the tags of each row as ``a;b``, and probabilities.

        Parameters
        ----------
        X : rows
        top : int, optional
            Write the best tags as ``tag1, probability1, …`` in place of a column for each tag.
        keep : bool
            Keep all columns of ``X``, not its ids alone.
        probabilities : bool
            Whether to write them.

        Returns
        -------
        DataFrame of n rows
        """
        frame = as_frame(X)
        tables, done = [], 0
        for block in self._predictions(X):
            rows = frame.iloc[done : done + len(block.scores)]
            tables.append(self._table(rows, block, top, keep, probabilities))
            done += len(rows)
        return pd.concat(tables, ignore_index=True)

    def explain(self, X: Any, *, top: int = 5, words: int = 6, voters: int = 5) -> TagExplanation:
        """Say why rows get their tags: evidence, the words that carried it, and who voted.

        Parameters
        ----------
        X : rows
            A few: each is predicted once more without each of its words.
        top : int
            How many tags to explain for each row, the best ones.
        words : int
            How many words (or cells) to name for each tag.
        voters : int
            How many training rows to name for each evidence, the nearest ones.

        Returns
        -------
        TagExplanation
        """
        check_is_fitted(self, "method_")
        return explain_rows(self, self.encoder_.framed(X), top=top, words=words, voters=voters)

    def score(self, X: Any, tags: Any) -> float:
        """Return the micro-averaged F1 of the decisions.

        Parameters
        ----------
        X : rows, as ``fit`` takes them
        tags : tags, in any form that ``fit`` takes

        Returns
        -------
        float
        """
        return float(micro_f1(self.indicator(X, tags)[0], self.predict(X)))

    def indicator(self, X: Any, tags: Any) -> tuple[sp.csr_array, list[str]]:
        """Bring the tags of rows to the order of ``classes_``; also return those not known."""
        if isinstance(tags, str):
            labels = tags_in_frame(as_frame(X), tags, self.label_delimiter_)[1]
        else:
            labels = read_tags(tags, self.label_delimiter_)
        return in_order_of(labels, list(self.label_names_))

    def encode(self, X: Any, tally: Tally | None = None) -> Any:
        """Give the features that the method sees; unusual cells are counted in ``tally``."""
        check_is_fitted(self, "method_")
        frame = self.encoder_.framed(X)
        if labels := [name for name in self.label_columns_ if name in frame.columns]:
            frame = frame.drop(columns=labels)
        if tally is None:
            return self.encoder_.transform(frame)
        return self.encoder_.encode(frame, tally)

    def _predictions(self, X: Any) -> Iterator[Predictions]:
        features = self.encode(X)
        if not features.shape[0]:
            raise DataError("X must have at least one row; got none.")
        for rows in gen_batches(features.shape[0], self.method_.rows_at_once):
            yield self.method_.predict_all(features[rows])

    def _table(
        self, frame: Any, block: Predictions, top: int | None, keep: bool, probabilities: bool
    ) -> pd.DataFrame:
        kept = self.encoder_.kept(frame, everything=keep)
        values = block.probabilities if probabilities else None
        return pd.DataFrame(prediction_columns(block, self.classes_, kept, top=top, values=values))

    def _encoder(self) -> TableEncoder:
        if isinstance(self.columns, TableEncoder):
            return clone(self.columns)  # type: ignore[no-any-return]
        return encoder_of(self.columns)

    def _method(self, *, is_scaled: bool) -> MultiLabelClassifier:
        method = make(self.method) if isinstance(self.method, str) else clone(self.method)
        if not hasattr(method, "predict"):
            raise DataError(
                "method must be a name of dlst.methods.available(), one of its estimators or "
                f"another classifier; got {type(method).__name__}."
            )
        if not isinstance(method, MultiLabelClassifier):
            method = AnyClassifier(method)
        settings = method.get_params(deep=False)
        if is_scaled:
            take_as_they_are(method)
        if "random_state" in settings and settings["random_state"] is None:
            method.set_params(random_state=self.random_state)
        return method
