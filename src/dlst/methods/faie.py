"""FaIE: feature-aware implicit label space encoding."""

from __future__ import annotations

from dataclasses import KW_ONLY

from dlst._parameters import with_parameters
from dlst.encoders import ImplicitEncoder
from dlst.methods._linear_codes import LinearCodeClassifier
from dlst.methods.base import MultiLabelClassifier
from dlst.parts import Encoder


@with_parameters
class FAIE(LinearCodeClassifier):
    """Ridge regression onto implicit codes that labels follow from and features predict.

        max tr(Cᵀ (Y Yᵀ + w H) C)  over C of shape (n, r) with CᵀC = I,   H = X (XᵀX + αI)⁻¹ Xᵀ,
        then  min ‖C − X W − 1 bᵀ‖² + α ‖W‖²,   S = (X W + 1 bᵀ) Cᵀ Y

    Parameters
    ----------
    n_components : int, float, "half" or None
        Code dimension r (the paper's L); a float is a share of K, rounded up, ``"half"`` is ⌈K/2⌉,
        at most 100, None is K.
    feature_weight : float
        w (the paper's α), how much predictable codes are preferred to codes that hold the labels.
    weighting : {"relative", "absolute"}
        Whether ``feature_weight`` is a multiple of the largest eigenvalue of Y Yᵀ, which grows with
        n while those of H are at most 1, or w itself (the reference program's default is 0.1).
    alpha : float or "auto"
        α (the paper's λ), of H and of the regression; ``"auto"``: the one by which labels are
        predicted best, over a log grid, by exact leave-one-out.
    coding : {"01", "pm1"}
        Labels as 0 and 1, or as −1 and +1, which gives other codes; scores are those of 0/1 labels
        in either case.
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
    With s = min(n, K + min(n, d)), fitting takes O(n s² + s³ + n r d), without any dense array of
    n × K; n × n matrices appear only where n < K + d. An unknown (NaN) entry takes the label's
    mean; rows without labels are left out.

    The original's: the objective, ridge regression, the decoder without shift. Readings: 0/1 labels
    that are not centred, a weight relative to the labels' (the paper cross-validates it on a log
    grid), r = K (labels are not centred, so that one code is spent on their mean), the penalty by
    leave-one-out, and the free intercept.

    References
    ----------
    Lin, Ding, Hu, Wang (2014). Multi-label classification via feature-aware implicit label space
    encoding.

    Examples
    --------
    >>> from dlst.data import load_multidigits
    >>> data = load_multidigits()
    >>> model = FAIE().fit(data.train.X, data.train.Y)
    >>> model.n_components_, model.predict_proba(data.test.X).shape
    (10, (500, 10))
    """

    n_components: int | float | str | None = None
    _: KW_ONLY
    feature_weight: float = 0.1
    weighting: str = "relative"
    coding: str = "01"

    # Its alternation between codes and features knows no weights.
    fit = MultiLabelClassifier.fit  # type: ignore[assignment]

    def _encoder(self, alpha: float, centred: bool) -> Encoder:
        return ImplicitEncoder(
            self.n_components,
            feature_weight=self.feature_weight,
            weighting=self.weighting,
            alpha=alpha,
            centred=centred,
            coding=self.coding,
        )
