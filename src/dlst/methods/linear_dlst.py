"""DLST for wide sparse features: linear machines, and votes among probabilities and features."""

from __future__ import annotations

from dlst.decoders import StagedDecoder
from dlst.encoders import SignCode
from dlst.methods.code_space import Composition
from dlst.methods.label_space import LabelSpaceClassifier
from dlst.regressors import LinearMachines

MARGIN_C = 0.2
MARGIN_TOL = 1e-2
"""Of the second opinion: between 0.1 and 0.3 nothing much changes, nor does a closer fit."""


class LinearDLST(LabelSpaceClassifier):
    """Linear machines for each label, their left-out probabilities as codes, and calibrated votes.

    What :class:`DLST` takes for many rows of wide sparse features, such as texts, where a kernel
    on a thousand sampled rows fits too little. The paper's idea stays: neighbours are searched
    among codes of label space, here root probabilities of all labels, and their labels vote.

    Parameters
    ----------
    encoder : encoder, optional
        Default: :class:`SignCode`, which leaves unknown labels unknown.
    regressor : regressor, optional
        Default: :class:`LinearMachines`.
    decoder : decoder, optional
        Default: :class:`StagedDecoder`.
    codes, decision, cardinality, tau, scaling, max_memory, random_state
        As in :class:`LabelSpaceClassifier`.

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
