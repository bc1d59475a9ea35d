"""The contracts of encoders, regressors and decoders, so that no code checks what a part is.

A composition (:class:`~dlst.methods.LabelSpaceClassifier`) fits its parts in five steps:

1. ``regression = regressor.prepare(X, labels)``: features are looked at, and what can be chosen
   without codes (a width, a penalty) is chosen by the labels.
2. ``Z = encoder.encode(Y, X, judge)``: labels become codes; an encoder that has a choice asks the
   judge what codes are worth.
3. ``targets = regression.regress(Z)``: features are regressed onto the codes.
4. ``codes = regression.out_of_sample(Z)``: the code of each training row, predicted without it.
5. ``decoder.fit(codes, Y, targets=..., X=..., smoother=..., encoder=...)``: codes become labels.

New rows go ``decoder.scores(regressor.predict(X), X=X)``. Anything else than these promises goes
through an adapter: :func:`~dlst.regressors.as_regressor` takes scikit-learn's regressors,
:func:`~dlst.decoders.as_decoder` its classifiers, :func:`~dlst.encoders.as_encoder` its
transformers. Every part is a scikit-learn estimator, with ``get_params`` and ``clone``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, TypeAlias

import scipy.sparse as sp

from dlst._matrices import FeatureMatrix, FloatArray, IntArray
from dlst.explanation import Explanation

Judge: TypeAlias = Callable[[FloatArray], float]
"""From codes (n, r) to the left-out log-loss of the labels of near codes; less is better."""


class OutOfSample(NamedTuple):
    """Probabilities (q, K) of some training rows, each as if it were new, and their numbers (q,).

    ``votes`` (q, n) is how much each training row voted on them; None where none did.

    Attributes
    ----------
    rows : ndarray of shape (q,)
    probabilities : ndarray of shape (q, K)
    votes : csr_array of shape (q, n) or None

    Examples
    --------
    >>> import numpy as np
    >>> OutOfSample(np.array([4]), np.array([[0.2, 0.9]])).votes is None
    True
    """

    rows: IntArray
    probabilities: FloatArray
    votes: sp.csr_array | None = None


class Scores(NamedTuple):
    """Probabilities and the scores that labels are ranked by within a row, both (n, K).

    Attributes
    ----------
    probabilities, ranking : ndarray of shape (n, K)

    Examples
    --------
    >>> import numpy as np
    >>> Scores(np.array([[0.2, 0.9]]), np.array([[-1.4, 2.2]])).ranking.argmax()
    np.int64(1)
    """

    probabilities: FloatArray
    ranking: FloatArray


class SearchedCodes(NamedTuple):
    """The training rows (m,) among which a decoder looks for neighbours, and their codes (m, r).

    Attributes
    ----------
    rows : ndarray of shape (m,)
    codes : ndarray or csr_array of shape (m, r)

    Examples
    --------
    >>> import numpy as np
    >>> SearchedCodes(np.array([0, 2]), np.array([[0.1], [0.7]])).codes.shape
    (2, 1)
    """

    rows: IntArray
    codes: FeatureMatrix


class LinearInverse(NamedTuple):
    """Labels ≈ offset (K,) + codes @ decoding (r, K).

    Attributes
    ----------
    decoding : ndarray or csr_array of shape (r, K)
    offset : ndarray of shape (K,)

    Examples
    --------
    >>> import numpy as np
    >>> inverse = LinearInverse(np.array([[1.0, -1.0]]), np.array([0.5, 0.5]))
    >>> (np.array([[0.2]]) @ inverse.decoding + inverse.offset).tolist()
    [[0.7, 0.3]]
    """

    decoding: FeatureMatrix
    offset: FloatArray


class Smoother(Protocol):
    """A regression that is linear in its targets, ready for any targets of the training rows.

    Its hat matrix H, which is never formed whole, maps targets to fitted values; with weights of
    the rows, of which ``root`` has the roots, that of rows and targets times these.

    Examples
    --------
    >>> from dlst.data import load_multidigits
    >>> from dlst.regressors import KernelRidge
    >>> data = load_multidigits()
    >>> regression = KernelRidge().prepare(data.train.X[:100], data.train.Y[:100].toarray())
    >>> regression.smoother.leverage.shape
    (100,)
    """

    @property
    def leverage(self) -> FloatArray:
        """The diagonal of H, (n,)."""

    def hat(self, rows: IntArray) -> Callable[[IntArray], FloatArray]:
        """Return what gives the rows of H for any columns, (len(rows), len(columns))."""

    def smooth(self, T: FloatArray) -> FloatArray:
        """Predict targets (n, t) of the rows with the rows themselves."""

    @property
    def root(self) -> FloatArray | None:
        """Roots (n,) of the rows' weights; None where all rows count once."""

    def leave_one_out(self, T: Any) -> FloatArray:
        """Predict targets (n, t) of each row from all other rows."""

    def regress(self, T: Any) -> Any:
        """Fit the regression of targets (n, t), for ``predict``."""

    def predict(self, X: FeatureMatrix, readout: Any) -> FloatArray:
        """Predict targets of new rows, (n', t)."""


class Regression(Protocol):
    """A regressor between features and codes: it has seen the training rows, and no codes yet.

    Examples
    --------
    >>> from dlst.data import load_multidigits
    >>> from dlst.regressors import KernelRidge
    >>> data = load_multidigits()
    >>> regression = KernelRidge().prepare(data.train.X[:100], data.train.Y[:100].toarray())
    >>> regression.regress(data.train.Y[:100].toarray()).shape
    (100, 10)
    """

    @property
    def smoother(self) -> Smoother | None:
        """The same for other targets of the rows; None where it is not linear in targets."""

    def regress(self, Z: FloatArray) -> FloatArray:
        """Fit the regressor to codes (n, r); return its targets, as ``predict`` approaches them."""

    def out_of_sample(self, Z: FloatArray) -> FloatArray:
        """Return what would be predicted for codes (n, r) of the training rows, each left out."""


class Encoder(Protocol):
    """Labels to codes.

    Attributes
    ----------
    n_components_ : int
        Dimensions that the codes span.

    Examples
    --------
    >>> from dlst.encoders import FullCode
    >>> callable(FullCode().encode)
    True
    """

    n_components_: int

    def encode(self, Y: sp.csr_array, X: FeatureMatrix, judge: Judge) -> FloatArray:
        """Fit to labels (n, K), NaN where unknown, and return the codes (n, r) of the rows.

        ``X`` (n, d) are their features; ``judge`` says what codes are worth.
        """

    def linear_inverse(self) -> LinearInverse | None:
        """Return how codes give labels back; None for codes that are not linear in labels."""


class Regressor(Protocol):
    """Features to codes.

    Examples
    --------
    >>> from dlst.regressors import KernelRidge
    >>> callable(KernelRidge().prepare)
    True
    """

    def prepare(self, X: FeatureMatrix, labels: sp.csr_array) -> Regression:
        """Look at training rows (n, d).

        ``labels`` (n, K), unknown entries at their mean, are what must be predicted well in the
        end: width and penalty are chosen by them. A regressor without such choices ignores them.
        """

    def predict(self, X: FeatureMatrix) -> FloatArray:
        """Return the codes (n', r) of rows; only after ``regress``."""


class Decoder(Protocol):
    """Codes to labels.

    Examples
    --------
    >>> from dlst.decoders import EvidenceDecoder
    >>> callable(EvidenceDecoder().scores)
    True
    """

    def fit(
        self,
        codes: Any,
        Y: Any,
        *,
        targets: Any = None,
        X: Any = None,
        smoother: Smoother | None = None,
        encoder: Any = None,
    ) -> Any:
        """Learn from the codes (n, r) of training rows and their labels (n, K), NaN unknown.

        ``targets`` (n, r) are what the regressor was fitted to, ``X`` the features, ``smoother``
        that of the regression, ``encoder`` the fitted encoder. A decoder takes what it can use.
        """

    def scores(self, codes: Any, *, X: Any = None) -> Scores:
        """Return probabilities and ranking scores of new rows in one pass."""

    def explain(self, codes: Any, *, X: Any = None, rows: Any = None) -> Explanation:
        """Say what made the probabilities; ``DataError`` where there is nothing to say."""

    def out_of_sample(self) -> OutOfSample | None:
        """Return what decision rules learn on; None where the decoder has seen its rows."""

    has_shortlist: bool
    looks_at_all_labels: bool
    """Whether a shortlist is made of arrays of rows by labels, so that few rows are given."""

    def shortlist(
        self, codes: Any, *, X: Any = None, at_least: int = 0, handicap: Any = None
    ) -> sp.csr_array:
        """Return logits of labels that may be the best, (n', K), where ``has_shortlist`` is true.

        Labels that are not stored are not among the ``at_least`` best of their row, by logit less
        the handicap (K,) of the label where there is one.
        """

    def votes(self, codes: Any, *, X: Any = None) -> sp.csr_array | None:
        """Return how much each training row votes on new rows, (n', n); None where none do."""

    def forget(self) -> None:
        """Drop what ``out_of_sample`` had for decisions, which are learnt."""

    def searched(self) -> SearchedCodes | None:
        """Return the codes among which neighbours are searched; None where none are."""
