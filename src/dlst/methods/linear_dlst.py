"""DLST for wide sparse features: linear machines, and votes among probabilities and features."""

from __future__ import annotations

import scipy.sparse as sp

from dlst._matrices import FeatureMatrix
from dlst._parameters import with_parameters
from dlst._weights import Weights
from dlst.decoders import ShortlistDecoder, StagedDecoder
from dlst.encoders import SignCode, SketchedCode
from dlst.methods.code_space import Composition
from dlst.methods.label_space import LabelSpaceClassifier
from dlst.regressors import LinearMachines, SparseMachines

MARGIN_C = 0.2
MARGIN_TOL = 1e-2
"""Of the second opinion: between 0.1 and 0.3 nothing much changes, nor does a closer fit."""


MANY_LABELS = 5000
MANY_ENTRIES = 50_000_000
"""More labels than this, or rows times labels, and nothing is as large as rows by labels."""

MOST_PRODUCTS = 2e11
"""Non-zero features times labels, or rows where these are fewer, in one pass of the machines of
very many labels; more would be hours."""


@with_parameters
class LinearDLST(LabelSpaceClassifier):
    """Linear machines for each label, their left-out probabilities as codes, and calibrated votes.

    What :class:`DLST` takes for many rows of wide sparse features, such as texts, where a kernel
    on a thousand sampled rows fits too little. The paper's idea stays: neighbours are searched
    among codes of label space, here root probabilities of all labels, and their labels vote.

    Of more than 5000 labels, or 50 million rows times labels, nothing is made for all rows and
    labels: codes have at most 100 axes (:class:`SketchedCode`), each label has a ridge regression
    of few weights (:class:`SparseMachines`), and the labels of near rows and those with the best
    regressions are scored (:class:`ShortlistDecoder`), which is all that ``predict_top`` looks at.
    Where non-zero features times labels (or rows, where these are fewer) exceed 2 · 10¹¹, labels
    are scored by near rows and codes alone.

    Parameters
    ----------
    encoder : encoder, optional
        Default: :class:`SignCode`, which leaves unknown labels unknown.
    regressor : regressor, optional
        Default: :class:`LinearMachines`.
    decoder : decoder, optional
        Default: :class:`StagedDecoder`.
    codes, decision, cardinality, tau, scaling, max_memory, n_jobs, random_state
        As in :class:`LabelSpaceClassifier`.

    References
    ----------
    Lyu, Yan, Wu (2018). Distribution-based label space transformation for multi-label learning.

    Examples
    --------
    >>> from dlst.data import load_multidigits
    >>> data = load_multidigits()
    >>> model = LinearDLST(random_state=0).fit(data.train.X, data.train.Y)
    >>> list(model.decoder_.evidence_choice_)
    ['direct', 'second opinion', 'code vote', 'feature vote']
    """

    @staticmethod
    def default_parts() -> Composition:
        """Return the labels' signs, linear machines, and votes that join while they pay."""
        margins = LinearMachines(MARGIN_C, loss="squared_hinge", tol=MARGIN_TOL)
        return Composition(
            SignCode(keep_unknown=True), LinearMachines(), StagedDecoder(second=margins)
        )

    @staticmethod
    def parts_for_many_labels(X: FeatureMatrix, Y: sp.csr_array) -> Composition:
        """Return codes of few axes, linear machines, and a shortlist of labels."""
        features = X.nnz if isinstance(X, sp.csr_array) else X.size
        direct = SparseMachines() if features * min(Y.shape) <= MOST_PRODUCTS else None
        return Composition(SketchedCode(), LinearMachines(), ShortlistDecoder(direct))

    def _composition(
        self, X: FeatureMatrix, Y: sp.csr_array, weights: Weights | None
    ) -> Composition:
        if has_many_labels(Y) and not self._parts_given():
            return self._completed(self.parts_for_many_labels(X, Y))
        return super()._composition(X, Y, weights)


def has_many_labels(Y: sp.csr_array) -> bool:
    """Return whether an array of rows by labels would be too large."""
    n, K = Y.shape
    return bool(K > MANY_LABELS or n * K > MANY_ENTRIES)
