"""The composition: labels are encoded, features regressed onto the codes, codes decoded."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import TransformerMixin, clone
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.utils import check_random_state

from dlst._matrices import FeatureMatrix
from dlst._parameters import check_choice
from dlst.decoders import Decision, EvidenceDecoder, Explanation
from dlst.decoders.explanation import CONSTANT_LOGIT
from dlst.encoders import FullCode
from dlst.errors import DataError
from dlst.methods.base import MultiLabelClassifier, logit
from dlst.methods.scaling import FeatureScaler, Scaling
from dlst.regressors import KernelRidge

SEARCHES = ("out-of-sample", "fitted", "targets")
CROSS_FITTING_FOLDS = 5


class LabelSpaceClassifier(TransformerMixin, MultiLabelClassifier):  # type: ignore[misc]
    """Encode labels, regress features onto the codes, decode codes to label scores.

    Parameters
    ----------
    encoder : encoder, optional
        ``fit_transform(Y, X)`` gives the codes of the training rows. Default: the full code.
    regressor : multi-output regressor, optional
        From features to codes; any of scikit-learn's. Default: :class:`KernelRidge`.
    decoder : decoder, optional
        From codes to probabilities. Default: :class:`EvidenceDecoder`.
    codes : {"out-of-sample", "fitted", "targets"}
        Which codes of the training rows the decoder sees: predicted without the row itself (exact
        leave-one-out where the regressor has it, else cross-fitting in five folds), predicted
        with it, or the encoder's own.
    decision : {"hamming", "micro", "macro", "top"}
        What ``predict`` aims at; thresholds are learnt on out-of-sample training scores.
    cardinality : float, optional
        Known mean number of labels per instance, when positives are missing in training.
    scaling : str
        See :class:`FeatureScaler`.
    random_state : None, int or RandomState
        Seed of everything random.

    Attributes
    ----------
    encoder_, regressor_, decoder_, scaler_ : fitted parts
    codes_ : ndarray of shape (n, r)
        What the decoder was fitted on.

    Examples
    --------
    A user swaps a part in one line:

    >>> from sklearn.linear_model import Ridge
    >>> from dlst.data import load_multidigits
    >>> data = load_multidigits()
    >>> model = LabelSpaceClassifier(regressor=Ridge(alpha=10.0), random_state=0)
    >>> model.fit(data.train.X, data.train.Y).transform(data.test.X).shape
    (500, 10)
    """

    def __init__(
        self,
        encoder: Any = None,
        regressor: Any = None,
        decoder: Any = None,
        *,
        codes: str = "out-of-sample",
        decision: Decision = "hamming",
        cardinality: float | None = None,
        scaling: Scaling = "auto",
        random_state: Any = None,
    ):
        self.encoder = encoder
        self.regressor = regressor
        self.decoder = decoder
        self.codes = codes
        self.decision = decision
        self.cardinality = cardinality
        self.scaling = scaling
        self.random_state = random_state

    def _fit(self, X: FeatureMatrix, Y: sp.csr_array) -> None:
        search = self._search()
        self.decision_rule_ = self._decision_rule(self.decision, self.cardinality)
        self.encoder_, self.regressor_, self.decoder_ = self._parts()
        self.scaler_ = FeatureScaler(self.scaling).fit(X)
        X = self.scaler_.transform(X)
        Z = self._regression_targets(self._encode(X, Y))
        self._regress(X, Y, Z)
        self.codes_ = self._training_codes(X, Z, search)
        smoother = getattr(self.regressor_, "smoother_", None)
        self.decoder_.fit(self.codes_, Y, targets=Z, X=X, smoother=smoother)
        self._learn_decisions(X, Y)
        self._place_labels(Y)

    def _parts(self) -> tuple[Any, Any, Any]:
        """Return unfitted encoder, regressor and decoder with seeds of their own."""
        parts = (
            FullCode() if self.encoder is None else clone(self.encoder),
            KernelRidge() if self.regressor is None else clone(self.regressor),
            EvidenceDecoder() if self.decoder is None else clone(self.decoder),
        )
        seeds = check_random_state(self.random_state).randint(2**31 - 1, size=len(parts))
        for part, seed in zip(parts, seeds, strict=True):
            if "random_state" in part.get_params() and part.random_state is None:
                part.set_params(random_state=int(seed))
        return parts

    def _encode(self, X: FeatureMatrix, Y: sp.csr_array) -> NDArray[np.float64]:
        return np.asarray(self.encoder_.fit_transform(Y, X), dtype=np.float64)

    def _regression_targets(self, Z: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what features are regressed onto: the codes as they are."""
        return Z

    def _regress(self, X: FeatureMatrix, Y: sp.csr_array, Z: NDArray[np.float64]) -> None:
        if isinstance(self.regressor_, KernelRidge):
            # The labels, not the codes, are what the kernel must predict well.
            self.regressor_.fit(X, Z, selection_targets=known_or_mean(Y))
        else:
            self.regressor_.fit(X, Z)

    def _search(self) -> str:
        """Say which training codes the decoder is to see."""
        check_choice("codes", self.codes, SEARCHES)
        return self.codes

    def _training_codes(
        self, X: FeatureMatrix, Z: NDArray[np.float64], search: str
    ) -> NDArray[np.float64]:
        if search == "targets":
            return Z
        if search == "fitted":
            return two_dimensional(self.regressor_.predict(X))
        return out_of_sample_codes(self.regressor_, X, Z)

    def _learn_decisions(self, X: FeatureMatrix, Y: sp.csr_array) -> None:
        P = getattr(self.decoder_, "out_of_sample_proba_", None)
        rows = getattr(self.decoder_, "calibration_rows_", slice(None))
        if P is None:
            P, rows = self.decoder_.predict_proba(self.codes_, X=X), slice(None)
        self.decision_rule_.fit(P, Y[rows])

    def _place_labels(self, Y: sp.csr_array) -> None:
        ones = (Y.data == 1).astype(np.float64)
        positive = sp.csr_array((ones, Y.indices, Y.indptr), shape=Y.shape)
        self.label_counts_ = np.asarray(positive.sum(axis=0)).astype(np.int64)
        centred = self.codes_ - self.codes_.mean(axis=0)
        self.label_centres_ = (positive.T @ centred) / np.maximum(self.label_counts_, 1)[:, None]

    def _latent(self, X: FeatureMatrix) -> tuple[NDArray[np.float64], FeatureMatrix]:
        X = self.scaler_.transform(X)
        return two_dimensional(self.regressor_.predict(X)), X

    def _probabilities(self, X: FeatureMatrix) -> NDArray[np.float64]:
        codes, X = self._latent(X)
        P: NDArray[np.float64] = self.decoder_.predict_proba(codes, X=X)
        return P

    def _scores(self, X: FeatureMatrix) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        codes, X = self._latent(X)
        if hasattr(self.decoder_, "predict_both"):
            # One search for neighbours serves both.
            P, S = self.decoder_.predict_both(codes, X=X)
        else:
            P = self.decoder_.predict_proba(codes, X=X)
            S = self.decoder_.decision_function(codes, X=X)
        return P, S

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Give the predicted latent codes of rows, shape (n, r)."""
        X = self._checked_features(X)
        if not self._varying.size:
            return np.zeros((X.shape[0], 0))
        return self._latent(X)[0]

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Name the code dimensions."""
        n_codes = self.codes_.shape[1] if self._varying.size else 0
        return np.array([f"code{i}" for i in range(n_codes)], dtype=object)

    def explain(self, X: Any) -> Explanation:
        """Say what made the score of each label of each row.

        Returns
        -------
        Explanation
            Contributions that add up to the logit of the probability, and the training rows that
            voted, with distance and weight; ``to_frame()`` gives it as a table.
        """
        X = self._checked_features(X)
        if not self._varying.size:
            raise DataError("there is nothing to explain: every label is constant in training.")
        if not hasattr(self.decoder_, "explain"):
            raise DataError(f"{type(self.decoder_).__name__} does not explain its scores.")
        codes, scaled = self._latent(X)
        return self._over_all_labels(self.decoder_.explain(codes, X=scaled))

    def _over_all_labels(self, found: Explanation) -> Explanation:
        """Add the constant labels, and name training rows by their numbers as given to fit."""
        n, _, m = found.contributions.shape
        intercept = np.clip(logit(self.prevalence_), -CONSTANT_LOGIT, CONSTANT_LOGIT)
        intercept[self._varying] = found.intercept
        contributions = np.zeros((n, self.n_labels_, m))
        contributions[:, self._varying] = found.contributions
        constant = np.ones(self.n_labels_, dtype=bool)
        constant[self._varying] = found.constant
        neighbours = {
            source: replace(votes, indices=self.training_rows_[votes.indices])
            for source, votes in found.neighbours.items()
        }
        return replace(
            found,
            intercept=intercept,
            contributions=contributions,
            constant=constant,
            neighbours=neighbours,
        )

    def label_map(self) -> pd.DataFrame:
        """Place the labels that vary in the code space.

        Returns
        -------
        DataFrame, one row for each label
            The mean predicted code of the training rows that carry the label, one column for each
            code dimension; ``frequency``, how many rows those are; ``nearest``, the label whose
            direction from the centre is most correlated with this one's, and ``correlation``,
            the cosine between the two.
        """
        names = [self.label_names_[label] for label in self._varying.tolist()]
        centres = self.label_centres_
        lengths = np.maximum(np.linalg.norm(centres, axis=1, keepdims=True), 1e-12)
        correlation = (centres / lengths) @ (centres / lengths).T
        np.fill_diagonal(correlation, -np.inf)
        nearest = correlation.argmax(axis=1)
        alone = len(names) == 1
        table = pd.DataFrame(
            centres, index=pd.Index(names, name="label"), columns=self.get_feature_names_out()
        )
        table["frequency"] = self.label_counts_
        table["nearest"] = [None] if alone else [names[other] for other in nearest]
        table["correlation"] = np.nan if alone else correlation.max(axis=1)
        return table


def known_or_mean(Y: sp.csr_array) -> Any:
    """Return the labels with unknown entries replaced by the label's mean; CSR when none are."""
    unknown = np.isnan(Y.data)
    if not unknown.any():
        return Y
    filled = Y.copy()
    positive = np.bincount(Y.indices[~unknown], minlength=Y.shape[1])
    known = Y.shape[0] - np.bincount(Y.indices[unknown], minlength=Y.shape[1])
    filled.data[unknown] = (positive / np.maximum(known, 1))[Y.indices[unknown]]
    return filled


def out_of_sample_codes(
    regressor: Any, X: FeatureMatrix, Z: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return codes of training rows predicted without them, by a regressor fitted to X and Z.

    They are exact leave-one-out where the regressor has it, else cross-fitted in five folds.
    """
    if hasattr(regressor, "loo_predictions_"):
        return two_dimensional(regressor.loo_predictions_)
    folds = KFold(min(CROSS_FITTING_FOLDS, len(Z)), shuffle=True, random_state=0)
    return two_dimensional(cross_val_predict(clone(regressor), X, Z, cv=folds))


def two_dimensional(codes: Any) -> NDArray[np.float64]:
    """Return codes as an array (n, r), also where there is one code for each row."""
    found: NDArray[np.float64] = np.asarray(codes, dtype=np.float64)
    return found.reshape(len(found), -1)
