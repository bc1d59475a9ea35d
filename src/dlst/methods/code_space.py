"""Methods with a code space: labels encoded, features regressed onto the codes, codes decoded."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import TransformerMixin

from dlst._matrices import FeatureMatrix, FloatArray, as_dense
from dlst._threads import threads
from dlst._unknown import known_or_mean
from dlst._weights import Weights, with_weights
from dlst.decoders import Explanation, VoteDecoder
from dlst.errors import DataError
from dlst.explanation import CONSTANT_LOGIT
from dlst.methods.answers import ROWS_AT_ONCE, logit
from dlst.methods.base import OutOfSampleLater
from dlst.methods.elsewhere import also_on_a_cluster
from dlst.methods.memory_plan import Shape, planned
from dlst.methods.scaling import Scaling
from dlst.methods.weighted import WeightedClassifier
from dlst.parts import (
    Decoder,
    Encoder,
    Judge,
    OutOfSample,
    Regression,
    Regressor,
    Scores,
    SearchedCodes,
)


class Composition(NamedTuple):
    """Unfitted parts, and which codes of the training rows the decoder learns from.

    ``codes`` is ``"out-of-sample"`` (predicted without the row itself: exact leave-one-out where
    the regressor has it, else cross-fitted in five folds), ``"fitted"`` (predicted with it), or
    ``"targets"`` (the encoder's own).

    Attributes
    ----------
    encoder, regressor, decoder : parts
        As :mod:`dlst.parts` says.
    codes : {"out-of-sample", "fitted", "targets"}
    judge_seed : int or None
        Of what an encoder with a choice is judged by.

    Examples
    --------
    >>> from dlst.methods import DLST
    >>> type(DLST.default_parts().encoder).__name__
    'ChosenCode'
    """

    encoder: Encoder
    regressor: Regressor
    decoder: Decoder
    codes: str = "out-of-sample"
    judge_seed: int | None = None


class CodeSpaceClassifier(TransformerMixin, WeightedClassifier):  # type: ignore[misc]
    """Base of methods that are an encoder, a regressor and a decoder.

    A method says in ``_composition`` which.

    Parameters
    ----------
    decision, cardinality, tau, scaling
        As in :class:`LabelSpaceClassifier`.

    Attributes
    ----------
    encoder_, regressor_, decoder_, scaler_ : fitted parts
    codes_ : ndarray of shape (n, r)
        What the decoder was fitted on.
    n_components_ : int
        Dimensions that the codes span.

    Examples
    --------
    >>> from dlst.data import load_multidigits
    >>> data = load_multidigits()
    >>> from dlst.methods import PLST
    >>> isinstance(PLST(), CodeSpaceClassifier)
    True
    >>> model = PLST(n_components=4).fit(data.train.X, data.train.Y)
    >>> model.transform(data.test.X[:2]).shape, model.n_components_
    ((2, 4), 4)
    """

    scaling: Scaling
    max_memory: int | str | None = None
    n_jobs: int | None = None

    @abstractmethod
    def _composition(
        self, X: FeatureMatrix, Y: sp.csr_array, weights: Weights | None
    ) -> Composition:
        """Return the unfitted parts for these training rows, features scaled."""

    def _fit_weighted(
        self, X: FeatureMatrix, Y: sp.csr_array, weights: Weights | None
    ) -> OutOfSampleLater | None:
        with threads(self.n_jobs), planned(self._shape(X, Y), self.max_memory):
            return self._fit_parts(X, Y, weights)

    def _shape(self, X: FeatureMatrix, Y: sp.csr_array) -> Shape | None:
        """Return what memory is planned by; None where there is no kernel's basis."""
        return None

    def _fit_parts(
        self, X: FeatureMatrix, Y: sp.csr_array, weights: Weights | None
    ) -> OutOfSampleLater | None:
        of_rows = None if weights is None else weights.rows
        X = self._fit_scaler(X, of_rows)
        chosen = self._composition(X, Y, weights)
        self.encoder_, self.regressor_, self.decoder_ = chosen[:3]
        prepare = with_weights(self.regressor_.prepare, weights)
        regression = prepare(X, known_or_mean(Y, of_rows))
        judge = _vote_judge(regression, X, Y, weights, chosen.judge_seed)
        Z = with_weights(self.encoder_.encode, weights)(Y, X, judge)
        targets = regression.regress(Z)
        self.codes_ = self._training_codes(chosen.codes, regression, X, Z, targets)
        with_weights(self.decoder_.fit, weights)(
            self.codes_,
            Y,
            targets=targets,
            X=X,
            smoother=regression.smoother,
            encoder=self.encoder_,
        )
        self._place_labels(Y)
        # Codes that have seen a row's own labels say nothing of new rows.
        return self.decoder_.out_of_sample if chosen.codes == "out-of-sample" else None

    def _fit_varying(
        self, X: FeatureMatrix, Y: sp.csr_array, weights: Weights | None
    ) -> Callable[[], OutOfSample]:
        later = super()._fit_varying(X, Y, weights)
        self.decoder_.forget()
        return later

    def _training_codes(
        self,
        which: str,
        regression: Regression,
        X: FeatureMatrix,
        Z: FloatArray,
        targets: FloatArray,
    ) -> FloatArray:
        if which == "targets":
            return targets
        if which == "fitted":
            return self.regressor_.predict(X)
        return regression.out_of_sample(Z)

    def _place_labels(self, Y: sp.csr_array) -> None:
        ones = (Y.data == 1).astype(np.float64)
        positive = sp.csr_array((ones, Y.indices, Y.indptr), shape=Y.shape)
        self.label_counts_ = np.asarray(positive.sum(axis=0)).astype(np.int64)
        centred = self.codes_ - self.codes_.mean(axis=0)
        self.label_centres_ = (positive.T @ centred) / np.maximum(self.label_counts_, 1)[:, None]

    @property
    def n_components_(self) -> int:
        """Dimensions that the codes span."""
        return int(self.encoder_.n_components_)

    def _latent(self, X: FeatureMatrix) -> tuple[FloatArray, FeatureMatrix]:
        X = self.scaler_.transform(X)
        return self.regressor_.predict(X), X

    def _scores(self, X: FeatureMatrix) -> Scores:
        codes, X = self._latent(X)
        return self.decoder_.scores(codes, X=X)

    def _rows_listed_at_once(self) -> int:
        if not self.decoder_.has_shortlist:
            return 0
        return self.rows_at_once if self.decoder_.looks_at_all_labels else ROWS_AT_ONCE

    def _shortlist(self, X: FeatureMatrix, k: int) -> sp.csr_array:
        codes, X = self._latent(X)
        handicap = self.decisions_.prior_correction_.handicap()
        return self.decoder_.shortlist(codes, X=X, at_least=k, handicap=handicap)

    def _row_votes(self, X: FeatureMatrix) -> sp.csr_array | None:
        codes, X = self._latent(X)
        return self.decoder_.votes(codes, X=X)

    @also_on_a_cluster
    def transform(self, X: Any) -> FloatArray:
        """Return the predicted latent codes of rows, shape (n, r)."""
        X = self._checked_features(X)
        if not self._varying.size:
            return np.zeros((X.shape[0], 0))
        return self._latent(X)[0]

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Name the code dimensions."""
        n_codes = self.codes_.shape[1] if self._varying.size else 0
        return np.array([f"code{i}" for i in range(n_codes)], dtype=object)

    def codes_searched(self) -> SearchedCodes:
        """Return the training rows among which neighbours are searched, and their codes.

        Rows are numbered as given to ``fit``. Where the decoder searches no codes they are those
        that it was fitted on.
        """
        found = self.decoder_.searched()
        if found is None:
            found = SearchedCodes(np.arange(len(self.codes_)), self.codes_)
        return SearchedCodes(self.training_rows_[found.rows], as_dense(found.codes))

    @also_on_a_cluster
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


def _vote_judge(
    regression: Regression,
    X: FeatureMatrix,
    Y: sp.csr_array,
    weights: Weights | None,
    seed: int | None,
) -> Judge:
    """Return what codes are worth: the left-out log-loss of the vote of near ones."""

    def log_loss(Z: FloatArray) -> float:
        vote = VoteDecoder(random_state=seed)
        codes = regression.out_of_sample(Z)
        vote.fit(codes, Y, targets=Z, X=X, smoother=regression.smoother, weights=weights)
        return vote.log_loss_

    return log_loss
