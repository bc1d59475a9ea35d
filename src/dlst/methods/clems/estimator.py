"""CLEMS: label sets embedded so that distances are costs, features regressed, nearest set taken."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any, Literal, get_args

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils import check_random_state

from dlst._matrices import FeatureMatrix, FloatArray, as_dense
from dlst._parameters import integer, number, one_of, parameter, with_parameters
from dlst._seeds import give_seed
from dlst.decoders.neighbours import row_blocks
from dlst.encoders.labelsets import LabelSets, distinct_label_sets
from dlst.methods.answers import with_logits
from dlst.methods.base import MultiLabelClassifier
from dlst.methods.clems.costs import Cost, label_set_costs
from dlst.methods.clems.multidimensional_scaling import classical_start, mirrored_mds, random_start
from dlst.methods.shared.convergence import warn_not_converged
from dlst.metrics import instance_average_precision
from dlst.parts import Scores
from dlst.regressors import KernelRidge, as_regressor

LARGEST_AUTOMATIC_CODE = 100
ROWS_FOR_TEMPERATURE = 2000
TEMPERATURES = np.geomspace(0.003, 3.0, 13)
"""What is tried, as shares of the mean squared distance from codes to candidates."""

PRIOR_SHARE = 0.01
"""Share of the prior in a probability: it ranks labels that no near candidate has."""


@with_parameters
class CLEMS(MultiLabelClassifier):
    """Cost-sensitive label embedding: the nearest candidate's label set is the answer.

        min Σ_ab w_a (‖t_a − c_b‖ − √cost(y_a, y_b))²   over codes t of truths, c of candidates

    Both run over the distinct label sets of the training rows, w_a rows have the a-th. Features
    are regressed onto the codes t of their label sets; the nearest c decides.

    Parameters
    ----------
    cost : {"hamming", "f1", "accuracy", "rank"}
        What a wrong answer costs: share of wrong labels; one minus F1 or Jaccard index of the two
        sets; wrongly ordered pairs of a true and a false label.
    n_components : int or "auto"
        M, dimensions of the codes; the original's is K, ``"auto"`` is K up to 100.
    regressor : multi-output regressor, optional
        From features to codes; random forests in the original. Default: :class:`KernelRidge`,
        with width and penalty by leave-one-out.
    init : {"classical", "random"}
        Where SMACOF starts: at weighted classical scaling, or at ``n_init`` random placements (the
        original's way), of which the one with the least stress is kept.
    n_init : int
        Random starts.
    max_candidates : int
        More distinct label sets than these are not all candidates: the most frequent ones are,
        among equally frequent ones a random draw. All remain truths.
    max_iter, tol : int, float
        SMACOF stops after so many steps, or when a step lowers the stress by at most this share of
        Σ w cost.
    decision, cardinality, tau
        As in :class:`LabelSpaceClassifier`; ``decision="own"`` is the nearest candidate.
    scaling : str
        See :class:`FeatureScaler`.
    random_state : None, int or RandomState
        Seed of random starts, of the draws of candidates, and of the regressor.

    Attributes
    ----------
    candidates_ : csr_array of shape (m, K')
        Label sets that can be answered, over the labels that vary.
    candidate_codes_ : ndarray of shape (m, r)
    candidate_counts_ : ndarray of shape (m,)
        Training rows with each.
    stress_ : float
        As a share of Σ w cost.
    n_iter_ : int
    temperature_ : float
    regressor_, scaler_ : fitted parts

    Notes
    -----
    Cost: O(u m r) for each step of SMACOF, with u distinct sets and m candidates, O(n m r) to
    predict n rows; the weights' Laplacian has a closed-form inverse, so the original's inverse of
    a 2u × 2u matrix is not needed. Unknown entries (NaN) are refused: the cost of a set that is
    not known is not either. Rows without labels are left out.

    The original answers with the nearest candidate c* and has no scores. Ours are an extension,

        p_j = ½ y_*j + ½ Σ_b y_bj n_b exp(−‖z − c_b‖²/T) / Σ_b n_b exp(−‖z − c_b‖²/T)

    with n_b rows that have the candidate, and a hundredth of the prior mixed into the second
    term. So p ≥ ½ is the original's answer, whose labels rank first. The temperature T is the one
    whose second term ranks best (instance AP) for leave-one-out codes of the training rows, each
    without its own vote.

    Also ours: kernel ridge, the classical start, the cap on candidates. F1 of a non-empty answer
    for an empty truth is 0; the authors' program has 1/|answer|. The rank cost is not divided by
    the number of pairs, as in the authors' program.

    References
    ----------
    Huang, Lin (2017). Cost-sensitive label embedding for multi-label classification.

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]]
    >>> Y = [[1, 0, 1], [1, 0, 1], [1, 0, 1], [0, 1, 1], [0, 1, 0], [0, 1, 0]]
    >>> model = CLEMS("f1", random_state=0).fit(X, Y)
    >>> model.predict([[0.15], [1.15]])
    array([[1, 0, 1],
           [0, 1, 0]])
    """

    _takes_unknown = False

    cost: Cost = parameter(default="f1", must_be=one_of(*get_args(Cost)))
    _: KW_ONLY
    n_components: int | str = parameter(
        default="auto", must_be=integer(at_least=1) | one_of("auto")
    )
    regressor: Any = None
    init: Literal["classical", "random"] = parameter(
        default="classical", must_be=one_of("classical", "random")
    )
    n_init: int = parameter(default=8, must_be=integer(at_least=1))
    max_candidates: int = parameter(default=1000, must_be=integer(at_least=2))
    max_iter: int = parameter(default=300, must_be=integer(at_least=1))
    tol: float = parameter(default=1e-5, must_be=number(at_least=0))
    random_state: Any = None

    def _fit(self, X: FeatureMatrix, Y: sp.csr_array) -> None:
        random = check_random_state(self.random_state)
        X = self._fit_scaler(X)
        label_sets = distinct_label_sets(Y)
        chosen = self._choose_candidates(label_sets, random)
        truths = self._embed(label_sets, chosen, random)
        codes = self._regress(X, truths[label_sets.inverse], random)
        self._choose_temperature(codes, Y, _places(chosen, label_sets), random)

    def _choose_candidates(
        self, label_sets: LabelSets, random: np.random.RandomState
    ) -> NDArray[np.intp]:
        chosen = np.arange(len(label_sets))
        if len(chosen) > self.max_candidates:
            by_count = np.lexsort((random.permutation(len(chosen)), -label_sets.counts))
            chosen = np.sort(by_count[: self.max_candidates])
        self.candidates_ = label_sets.sets[chosen]
        self.candidate_counts_ = label_sets.counts[chosen]
        # _fit sees the labels that vary only.
        self.prior_ = self.prevalence_[self._varying]
        return chosen

    def _embed(
        self, label_sets: LabelSets, chosen: NDArray[np.intp], random: np.random.RandomState
    ) -> FloatArray:
        """Place truths and candidates; return the codes of the truths."""
        costs = label_set_costs(label_sets.sets, self.candidates_, self.cost)
        weights = label_sets.counts.astype(np.float64)
        r = min(self.candidates_.shape[1], LARGEST_AUTOMATIC_CODE)
        if not isinstance(self.n_components, str):
            r = self.n_components
        if self.init == "classical":
            starts = [classical_start(costs, costs[chosen], weights[chosen], r)]
        else:
            starts = [random_start(costs, r, random) for _ in range(self.n_init)]
        dissimilarities = np.sqrt(costs)
        runs = (
            mirrored_mds(*start, dissimilarities, weights, tol=self.tol, max_iter=self.max_iter)
            for start in starts
        )
        best = min(runs, key=lambda run: run.stress)
        if not best.converged:
            warn_not_converged(
                f"The embedding of label sets did not converge in max_iter={self.max_iter}; raise "
                f"max_iter, or tol (now {self.tol:g})."
            )
        self.candidate_codes_ = best.candidates
        self.stress_, self.n_iter_ = best.stress, best.n_iter
        return best.truths

    def _regress(
        self, X: FeatureMatrix, targets: FloatArray, random: np.random.RandomState
    ) -> FloatArray:
        """Fit the regressor; return the training rows' codes as others would predict them."""
        regressor = KernelRidge() if self.regressor is None else clone(self.regressor)
        self.regressor_ = as_regressor(give_seed(regressor, random))
        regression = self.regressor_.prepare(X, targets)
        regression.regress(targets)
        return regression.out_of_sample(targets)

    def _choose_temperature(
        self,
        codes: FloatArray,
        Y: sp.csr_array,
        own: NDArray[np.intp],
        random: np.random.RandomState,
    ) -> None:
        """Choose the softmax that ranks best; ``own`` is each row's candidate."""
        rows = np.arange(len(codes))
        if len(rows) > ROWS_FOR_TEMPERATURE:
            rows = np.sort(random.choice(rows, ROWS_FOR_TEMPERATURE, replace=False))
        own = own[rows]
        votes = np.tile(self.candidate_counts_.astype(np.float64), (len(rows), 1))
        with_own = np.flatnonzero(own >= 0)
        votes[with_own, own[with_own]] -= 1.0
        squared = self._squared_distances(codes[rows])
        tried = TEMPERATURES * max(float(squared.mean()), np.finfo(np.float64).tiny)
        quality = [_quality(Y[rows], self._vote(squared, votes, T)) for T in tried]
        self.temperature_ = float(tried[max(range(len(tried)), key=quality.__getitem__)])

    def _squared_distances(self, codes: FloatArray) -> FloatArray:
        return np.asarray(euclidean_distances(codes, self.candidate_codes_, squared=True))

    def _vote(self, squared: FloatArray, votes: FloatArray, temperature: float) -> FloatArray:
        """Return the candidates' mean label sets, weighted by votes and nearness, (n, K)."""
        logits = np.where(votes > 0, -squared / temperature, -np.inf)
        logits -= logits.max(axis=1, keepdims=True)
        weights = votes * np.exp(logits)
        weights /= weights.sum(axis=1, keepdims=True)
        P = np.asarray((self.candidates_.T @ weights.T).T)
        return np.clip((1.0 - PRIOR_SHARE) * P + PRIOR_SHARE * self.prior_, 0.0, 1.0)

    def _codes(self, X: FeatureMatrix) -> FloatArray:
        return self.regressor_.predict(self.scaler_.transform(X))

    def _scores(self, X: FeatureMatrix) -> Scores:
        codes = self._codes(X)
        P = np.empty((len(codes), len(self.prior_)))
        votes = self.candidate_counts_[None, :].astype(np.float64)
        for rows in row_blocks(len(codes), len(self.candidate_codes_)):
            squared = self._squared_distances(codes[rows])
            answers = as_dense(self.candidates_[squared.argmin(axis=1)])
            P[rows] = 0.5 * (answers + self._vote(squared, votes, self.temperature_))
        return with_logits(P)


def _places(chosen: NDArray[np.intp], label_sets: LabelSets) -> NDArray[np.intp]:
    """Return the candidate that each row's label set is, -1 where it is none."""
    places = np.full(len(label_sets), -1)
    places[chosen] = np.arange(len(chosen))
    found: NDArray[np.intp] = places[label_sets.inverse]
    return found


def _quality(Y: sp.csr_array, P: FloatArray) -> tuple[float, float]:
    """Judge probabilities by how they rank the labels of a row, then by their squared error."""
    ranked = float(instance_average_precision(Y, P, empty="skip")) if Y.nnz else 0.0
    return ranked, -float(((P - as_dense(Y)) ** 2).sum())
