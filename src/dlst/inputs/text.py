"""Texts: words and word pairs, or a transformer of the user's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.utils.sparsefuncs_fast import inplace_csr_row_normalize_l2
from sklearn.utils.validation import check_is_fitted

from dlst._matrices import FeatureMatrix
from dlst._parameters import with_parameters
from dlst.errors import DataError
from dlst.inputs.cells import texts_of
from dlst.inputs.notes import Tally
from dlst.inputs.part import Part
from dlst.inputs.strings import Strings

_UNSPACED = (
    r"\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
)
"""Chinese and Japanese characters, whose words stand without blanks between them."""

WORDS_AND_SIGNS = rf"(?u)[^\W{_UNSPACED}]+|[{_UNSPACED}]|[^\w\s]"
"""Each Chinese or Japanese character is a word, so that pairs of them are what words mostly are.
Signs count: an exclamation mark or a smiley says something about a short text."""

_WORDS = re.compile(rf"([^\W{_UNSPACED}]+|[{_UNSPACED}\u2600-\u27bf\U0001f000-\U0001faff])")


def words_and_rest(text: str) -> list[str]:
    """Split a text into what is around its words, and in every second place a word.

    Of signs only emoji are words: these are what an explanation can name.

    Examples
    --------
    >>> words_and_rest("Great 🎉, 好的!")
    ['', 'Great', ' ', '🎉', ', ', '好', '', '的', '!']
    """
    return _WORDS.split(text)


@with_parameters
class WordFeatures(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Words and word pairs with sublinear tf-idf weights, rows of length 1, sparse.

    scikit-learn's :class:`~sklearn.feature_extraction.text.TfidfVectorizer`, its vocabulary kept
    in a form that a model file holds in a moment.

    Parameters
    ----------
    n_words : int
        Up to how many words make a feature; 2 is words and pairs.
    min_rows : int
        In how many training texts a feature must occur.
    max_features : int, optional
        Keep the most frequent ones only.
    lowercase : bool
        Whether ``Sky`` and ``sky`` are one word.
    token_pattern : str
        What a word is, as a regular expression.

    Examples
    --------
    >>> words = WordFeatures().fit(["blue sky", "blue sea"])
    >>> list(words.get_feature_names_out())
    ['blue', 'blue sea', 'blue sky', 'sea', 'sky']
    >>> words.transform(["sea!"]).toarray()
    array([[0., 0., 0., 1., 0.]])
    """

    n_words: int = 2
    min_rows: int = 1
    max_features: int | None = 200_000
    lowercase: bool = True
    token_pattern: str = WORDS_AND_SIGNS

    def fit(self, texts: Sequence[str], y: Any = None) -> WordFeatures:
        """Learn the vocabulary and how common each word is."""
        self.fit_transform(texts)
        return self

    def fit_transform(self, texts: Sequence[str], y: Any = None) -> sp.csr_array:
        """Learn, and give the features of the same texts."""
        vectorizer = TfidfVectorizer(
            min_df=self.min_rows, max_features=self.max_features, sublinear_tf=True, **self._words()
        )
        try:
            X = vectorizer.fit_transform(texts)
        except ValueError as error:
            raise DataError(
                f"texts must hold words; got {len(texts)} texts without any that occurs in "
                f"{self.min_rows} of them ({error})."
            ) from error
        self.words_ = Strings(vectorizer.get_feature_names_out())
        self.idf_: NDArray[np.float64] = vectorizer.idf_
        self._fitted: CountVectorizer | None = None
        return sp.csr_array(X)

    def transform(self, texts: Sequence[str]) -> sp.csr_array:
        """Give the features of texts; words that training did not have count nothing."""
        check_is_fitted(self, "words_")
        if self._fitted is None:
            vocabulary = list(self.words_)
            self._fitted = CountVectorizer(vocabulary=vocabulary, **self._words())
        X = sp.csr_array(self._fitted.transform(texts), dtype=np.float64)
        # As TfidfTransformer does, whose checks take longer than a short text does.
        X.data = (np.log(X.data) + 1.0) * self.idf_[X.indices]
        inplace_csr_row_normalize_l2(X)
        return X

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the words and pairs."""
        return np.array(list(self.words_), dtype=object)

    def _words(self) -> dict[str, Any]:
        return {
            "ngram_range": (1, self.n_words),
            "lowercase": self.lowercase,
            "token_pattern": self.token_pattern,
        }

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if "_fitted" in state:
            # The words and their weights say all; the counting is set up again when it is needed.
            state["_fitted"] = None
        return state


class TextColumn(Part):
    """One column of texts by a transformer of texts; an empty cell is a text without words.

    Parameters
    ----------
    encoder : transformer, optional
        Takes a list of texts and gives an array or a sparse matrix; by default
        :class:`WordFeatures`. Its ``fit`` may do nothing: a sentence encoder is one.
    """

    def __init__(self, encoder: Any = None):
        self.encoder = encoder

    def fit(self, columns: Any, tally: Tally) -> TextColumn:
        """Fit the transformer."""
        self.fit_transform(columns, tally)
        return self

    def fit_transform(self, columns: Any, tally: Tally) -> FeatureMatrix:
        """Fit, and give the features of the same texts in one pass over them."""
        (name,) = columns.columns
        self.encoder_ = WordFeatures() if self.encoder is None else clone(self.encoder)
        X = _checked(self.encoder_.fit_transform(texts_of(columns[name])), str(name), len(columns))
        self.name_, self.n_features_ = str(name), int(X.shape[1])
        return X

    def feature_names(self) -> list[str]:
        """Name the features by their words, where the transformer does."""
        names = getattr(self.encoder_, "get_feature_names_out", None)
        return [f"{self.name_}: {word}" for word in (names or range(self.n_features_).__iter__)()]

    def transform(self, columns: Any, tally: Tally) -> FeatureMatrix:
        """Give the features of new texts."""
        (name,) = columns.columns
        texts = texts_of(columns[name])
        empty = sum(not text.strip() for text in texts)
        tally.add(str(name), "empty cell, read as a text without words", empty)
        return _checked(self.encoder_.transform(texts), str(name), len(texts))


def _checked(X: Any, name: str, n: int) -> FeatureMatrix:
    found = sp.csr_array(X, dtype=np.float64) if sp.issparse(X) else np.asarray(X, np.float64)
    if found.ndim != 2 or found.shape[0] != n:
        raise DataError(
            f"the transformer of column {name!r} must give a row of features for each of {n} "
            f"texts; got shape {found.shape}."
        )
    return found
