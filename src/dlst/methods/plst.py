"""PLST: principal label space transformation."""

from __future__ import annotations

from dlst._parameters import with_parameters
from dlst.encoders import PrincipalEncoder
from dlst.methods._linear_codes import LinearCodeClassifier
from dlst.parts import Encoder


@with_parameters
class PLST(LinearCodeClassifier):
    """Ridge regression onto the principal components of the labels.

        min ‖Yc − Yc V Vᵀ‖²  with Vᵀ V = I,   then  min ‖Yc V − X W − 1 bᵀ‖² + α ‖W‖²,
        S = (X W + 1 bᵀ) Vᵀ + 1 ȳᵀ,   Yc = Y − 1 ȳᵀ

    Parameters
    ----------
    n_components : int, float, "half" or None
        Code dimension r (the paper's M); a float is a share of K, rounded up, ``"half"`` is ⌈K/2⌉,
        at most 100, None the rank of the labels. With r = rank this is ridge regression of each
        label.
    alpha : float or "auto"
        α (the paper's λ); ``"auto"``: the one by which labels are predicted best, over a log grid,
        by exact leave-one-out.
    intercept : {"free", "penalised"}
        Whether b is free, or the weight of a column of ones that is penalised like any other, as in
        the reference program. That one also needs ``alpha`` (its demonstration has 0.1) and
        ``scaling="none"``.
    decision, cardinality, tau, scaling
        As in :class:`LabelSpaceClassifier`.

    Attributes
    ----------
    alpha_ : float
        The penalty.
    n_components_ : int
        r, at most the rank of the labels.
    encoder_, regressor_, decoder_, scaler_ : fitted parts
    codes_ : ndarray of shape (n, r)
        Leave-one-out predictions of the training rows' codes.

    Notes
    -----
    With q = min(n, d), fitting takes O(n d q + q³ + nnz(Y) (K + r) + K³ + n q r), without any dense
    array of n × K. An unknown (NaN) entry takes the label's mean, which is 0 in the centred code;
    rows without labels are left out.

    The original's: the code, ridge regression, decoding and rounding at 1/2 (labels of ±1 give the
    same decisions). Readings: r and the penalty, which the paper leaves open. Half of K is a habit
    of published comparisons; on labels that rarely occur together, such as Scene's, it costs much.

    References
    ----------
    Tai, Lin (2012). Multilabel classification with principal label space transformation.

    Examples
    --------
    >>> from dlst.data import load_multidigits
    >>> data = load_multidigits()
    >>> model = PLST().fit(data.train.X, data.train.Y)
    >>> model.n_components_, model.predict_proba(data.test.X).shape
    (8, (500, 10))
    """

    def _encoder(self, alpha: float, centred: bool) -> Encoder:
        return PrincipalEncoder(self.n_components)
