"""CPLST: conditional principal label space transformation."""

from __future__ import annotations

from dlst._parameters import with_parameters
from dlst.encoders import ConditionalPrincipalEncoder
from dlst.methods._linear_codes import LinearCodeClassifier
from dlst.parts import Encoder


@with_parameters
class CPLST(LinearCodeClassifier):
    """Ridge regression onto the principal components of what features predict of the labels.

        max tr(Vᵀ Ycᵀ H Yc V)  with Vᵀ V = I,   H = X (XᵀX + αI)⁻¹ Xᵀ,
        then  min ‖Yc V − X W − 1 bᵀ‖² + α ‖W‖²,   S = (X W + 1 bᵀ) Vᵀ + 1 ȳᵀ

    Parameters
    ----------
    n_components : int, float, "half" or None
        Code dimension r (the paper's M); a float is a share of K, rounded up, ``"half"`` is ⌈K/2⌉,
        at most 100, None the rank of the predicted labels. With r = K this is ridge regression of
        each label.
    alpha : float or "auto"
        α (the paper's λ), of H and of the regression; ``"auto"``: the one by which labels are
        predicted best, over a log grid, by exact leave-one-out.
    intercept : {"free", "penalised"}
        As in :class:`PLST`. H is of centred features where b is free, else of features as they are,
        without the column of ones.
    decision, cardinality, tau, scaling
        As in :class:`LabelSpaceClassifier`.

    Attributes
    ----------
    alpha_ : float
        The penalty.
    n_components_ : int
        r.
    encoder_, regressor_, decoder_, scaler_ : fitted parts
    codes_ : ndarray of shape (n, r)
        Leave-one-out predictions of the training rows' codes.

    Notes
    -----
    With q = min(n, d), fitting takes O(n d q + q³ + nnz(Y) d + d q K + q K min(q, K) + n q r),
    without any dense array of n × K; n × n matrices appear only where n < d. There, a small α makes
    H almost the identity and this is :class:`PLST`. An unknown (NaN) entry takes the label's mean,
    which is 0 in the centred code; rows without labels are left out.

    The original's: H, the code, ridge regression, decoding and rounding at 1/2. For α > 0 the
    eigenproblem, derived for α = 0, is the definition. Readings: r, where half of K is a habit of
    published comparisons, and the penalty by leave-one-out where the paper cross-validates.

    References
    ----------
    Chen, Lin (2012). Feature-aware label space dimension reduction for multi-label classification.

    Examples
    --------
    >>> from dlst.data import load_multidigits
    >>> data = load_multidigits()
    >>> model = CPLST().fit(data.train.X, data.train.Y)
    >>> model.n_components_, model.predict_proba(data.test.X).shape
    (8, (500, 10))
    """

    def _encoder(self, alpha: float, centred: bool) -> Encoder:
        return ConditionalPrincipalEncoder(self.n_components, alpha=alpha, centred=centred)
