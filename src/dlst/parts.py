"""What an encoder, a regressor and a decoder promise, so that nobody asks a part what it is.

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

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from dlst._matrices import FeatureMatrix
from dlst.explanation import Explanation

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]

Judge: TypeAlias = Callable[[FloatArray], float]
"""From codes (n, r) to the left-out log-loss of the labels of near codes; less is better."""


class OutOfSample(NamedTuple):
    """Probabilities (q, K) of some training rows, each as if it were new, and their numbers (q,).

    ``votes`` (q, n) is how much each training row voted on them; None where none did.
    """

    rows: IntArray
    probabilities: FloatArray
    votes: sp.csr_array | None = None


class Scores(NamedTuple):
    """Probabilities and the scores that labels are ranked by within a row, both (n, K)."""

    probabilities: FloatArray
    ranking: FloatArray


class SearchedCodes(NamedTuple):
    """The training rows (m,) among which a decoder looks for neighbours, and their codes (m, r)."""

    rows: IntArray
    codes: FeatureMatrix


class LinearInverse(NamedTuple):
    """Labels ≈ offset (K,) + codes @ decoding (r, K)."""

    decoding: FloatArray
    offset: FloatArray


class Smoother(Protocol):
    """A regression that is linear in its targets, ready for any targets of the training rows.

    Its hat matrix H, which nobody forms whole, maps targets to fitted values.
    """

    @property
    def leverage(self) -> FloatArray:
        """The diagonal of H, (n,)."""

    def hat(self, rows: IntArray) -> Callable[[IntArray], FloatArray]:
        """Return what gives the rows of H for any columns, (len(rows), len(columns))."""

    def smooth(self, T: FloatArray) -> FloatArray:
        """Predict targets (n, t) of the rows with the rows themselves."""

    def leave_one_out(self, T: Any) -> FloatArray:
        """Predict targets (n, t) of each row from all other rows."""

    def regress(self, T: Any) -> Any:
        """Fit the regression of targets (n, t), for ``predict``."""

    def predict(self, X: FeatureMatrix, readout: Any) -> FloatArray:
        """Predict targets of new rows, (n', t)."""


class Regression(Protocol):
    """A regressor between features and codes: it has seen the training rows, and no codes yet."""

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
    """

    n_components_: int

    def encode(self, Y: sp.csr_array, X: FeatureMatrix, judge: Judge) -> FloatArray:
        """Fit to labels (n, K), NaN where unknown, and return the codes (n, r) of the rows.

        ``X`` (n, d) are their features; ``judge`` says what codes are worth.
        """

    def linear_inverse(self) -> LinearInverse | None:
        """Return how codes give labels back; None for codes that are not linear in labels."""


class Regressor(Protocol):
    """Features to codes."""

    def prepare(self, X: FeatureMatrix, labels: sp.csr_array) -> Regression:
        """Look at training rows (n, d).

        ``labels`` (n, K), unknown entries at their mean, are what must be predicted well in the
        end: width and penalty are chosen by them. A regressor without such choices ignores them.
        """

    def predict(self, X: FeatureMatrix) -> FloatArray:
        """Return the codes (n', r) of rows; only after ``regress``."""


class Decoder(Protocol):
    """Codes to labels."""

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

    def votes(self, codes: Any, *, X: Any = None) -> sp.csr_array | None:
        """Return how much each training row votes on new rows, (n', n); None where none do."""

    def searched(self) -> SearchedCodes | None:
        """Return the codes among which neighbours are searched; None where none are."""
