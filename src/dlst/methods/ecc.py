"""ECC: an ensemble of classifier chains in random orders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY

import numpy as np
import scipy.sparse as sp
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.multioutput import ClassifierChain
from sklearn.utils import check_random_state
from sklearn.utils.parallel import delayed

from dlst._matrices import FeatureMatrix, FloatArray
from dlst._parameters import NONE, integer, number, one_of, parameter, with_parameters
from dlst.methods.answers import with_logits
from dlst.methods.shared.classifier_ensembles import ClassifierEnsemble, warn_of_unfinished
from dlst.parts import Scores

CHAIN_METHODS = ("predict", "predict_proba")
MOST_CHAINS = 10
FEWEST_CHAINS = 3
CLASSIFIERS = 1500
"""Beyond so many classifiers in all ``n_chains="auto"`` takes fewer chains."""


@with_parameters
class ECC(ClassifierEnsemble):
    """Mean of classifier chains, in each of which a label is learnt from features and labels.

        p_j(x) = 1/M Σ_m P(y_j = 1 | x, ŷ_π_m(1), …, ŷ_π_m(t−1)),  j = π_m(t)

    A chain learns from the true labels that come before in its order π_m, and predicts with its own
    predictions of them.

    Parameters
    ----------
    estimator : classifier, optional
        Of one label; it must take sparse features where X is sparse. With ``predict_proba`` its
        probabilities are averaged, without it its votes. Default: logistic regression.
    n_chains : int or "auto"
        M. ``"auto"``: 10, or so many as make 1500 classifiers in all, but at least 3.
    C : float
        Weight of the losses of the default base: features are scaled to rows with a mean squared
        length of C, and penalised as the labels beside them.
    subsample : float
        Share of the rows that a chain sees, drawn without replacement.
    orders : sequence of permutations of the labels, optional
        One for each chain, instead of ``n_chains`` random ones.
    cv : int, optional
        Folds, for chains that learn from cross-validated predictions instead of the true labels,
        so that training looks like prediction.
    chain_method : {"predict", "predict_proba"}
        What is handed on along a chain when it predicts, and with ``cv`` when it learns.
    decision, cardinality, tau
        As in :class:`LabelSpaceClassifier`; ``decision="own"`` is p ≥ ½.
    scaling : str
        See :class:`FeatureScaler`.
    n_jobs : int, optional
        Jobs over chains.
    random_state : None, int or RandomState
        For orders, rows and the base.

    Attributes
    ----------
    chains_ : list of ClassifierChain
    chain_labels_ : list of ndarray
        The labels of each, among those that vary.
    n_chains_ : int
        M.

    Notes
    -----
    Cost: M K classifiers of up to d + K features. M = 10 and 67 % of the rows are the original's;
    the mean of probabilities is the ranking form of its votes.

    A label that is constant in a chain's rows is left out of that chain; it is averaged over the
    others, and has its prevalence where there are none. With ``cv`` a label with fewer than ``cv``
    rows of either kind is learnt from the features alone.

    NaN has no meaning in a chain, which learns from all earlier labels, and is refused. Rows
    without labels are not used.

    References
    ----------
    Read, Pfahringer, Holmes, Frank (2011). Classifier chains for multi-label classification.

    Examples
    --------
    >>> X, Y = [[0], [1], [2], [10], [11], [12]], [[1, 0], [1, 0], [1, 1], [0, 1], [0, 1], [0, 1]]
    >>> ECC(random_state=0).fit(X, Y).predict([[0.5], [11.5]])
    array([[1, 0],
           [0, 1]])
    """

    n_chains: int | str = parameter(default="auto", must_be=integer(at_least=1) | one_of("auto"))
    _: KW_ONLY
    subsample: float = parameter(default=0.67, must_be=number(above=0, at_most=1))
    orders: Sequence[Sequence[int]] | None = None
    cv: int | None = parameter(default=None, must_be=integer(at_least=2) | NONE)
    chain_method: str = parameter(default="predict_proba", must_be=one_of(*CHAIN_METHODS))

    def _fit(self, X: FeatureMatrix, Y: sp.csr_array) -> None:
        self._check_parameters()
        X = self._fit_lengths(X)
        random = check_random_state(self.random_state)
        orders = self._label_orders(Y.shape[1], random)
        self.n_chains_ = len(orders)
        self.mean_ = Y.mean(axis=0)
        tasks = list(self._tasks(Y.toarray(), orders, random))
        self.chain_labels_ = [labels for labels, _, _ in tasks]
        fits = (
            delayed(chain.fit)(X[rows], Y[rows][:, labels].toarray())
            for labels, rows, chain in tasks
        )
        self.chains_ = self._run_all(fits)
        warn_of_unfinished([base for chain in self.chains_ for base in chain.estimators_])

    def _tasks(
        self, Y: FloatArray, orders: list[NDArray[np.intp]], random: RandomState
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp], ClassifierChain]]:
        """Yield the labels in their order, the rows and the unfitted chain, for each chain."""
        n = len(Y)
        size = min(n, max(2, round(self.subsample * n)))
        for order in orders:
            rows = np.sort(random.choice(n, size, replace=False))
            positive = Y[rows][:, order].sum(axis=0)
            fewer = np.minimum(positive, size - positive)
            chained = fewer >= (1 if self.cv is None else self.cv)
            if chained.any():
                yield order[chained], rows, self._chain(random, self.cv)
            for label in order[(fewer > 0) & ~chained]:
                yield np.array([label]), rows, self._chain(random, None)

    def _chain(self, random: RandomState, cv: int | None) -> ClassifierChain:
        return ClassifierChain(self._unfitted(random), cv=cv, chain_method=self.chain_method)

    def _label_orders(self, K: int, random: RandomState) -> list[NDArray[np.intp]]:
        """Return an order of the labels that vary for each chain."""
        if self.orders is None:
            M = self.n_chains
            if M == "auto":
                M = min(MOST_CHAINS, max(FEWEST_CHAINS, CLASSIFIERS // K))
            return [random.permutation(K) for _ in range(int(M))]
        place = np.full(self.n_labels_, -1)
        place[self._varying] = np.arange(K)
        orders = [place[np.asarray(order)] for order in self.orders]
        return [order[order >= 0] for order in orders]

    def _scores(self, X: FeatureMatrix) -> Scores:
        X = self._lengthened(X)
        total = np.zeros((X.shape[0], len(self.mean_)))
        count = np.zeros(len(self.mean_))
        for labels, chain in zip(self.chain_labels_, self.chains_, strict=True):
            score = chain.predict_proba if hasattr(chain, "predict_proba") else chain.predict
            total[:, labels] += score(X)
            count[labels] += 1
        return with_logits(np.where(count > 0, total / np.maximum(count, 1), self.mean_))

    def _check_parameters(self) -> None:
        for order in () if self.orders is None else self.orders:
            if sorted(order) != list(range(self.n_labels_)):
                raise ValueError(
                    f"orders must be permutations of the {self.n_labels_} labels 0 to "
                    f"{self.n_labels_ - 1}; got {order!r}."
                )
