"""Multi-digit images, planted label spaces, simulated features."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import poisson
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import roc_auc_score

from dlst.data import _sampling, multidigits
from dlst.data.dataset import Dataset, Split
from dlst.data.multidigits import load_multidigits
from dlst.data.simulation import simulate_features, with_simulated_features
from dlst.data.simulation.label_space import _sphere_mean, make_label_space
from dlst.data.statistics import cooccurrence


@pytest.fixture(scope="module")
def digits():
    return load_multidigits()


def test_multidigits_has_the_stated_shape(digits):
    assert digits.images.shape == (2000, 8, 24)
    assert digits.X.min() == 0
    assert digits.X.max() == 1
    assert list(digits.label_names) == list("0123456789")
    assert (len(digits.split.train), len(digits.split.test)) == (1500, 500)
    per_row = digits.Y.sum(axis=1)
    shares = np.bincount(per_row.astype(int))[1:] / 2000
    assert shares == pytest.approx(multidigits.COUNT_SHARES, abs=0.04)


def test_multidigits_is_the_same_for_the_same_seed(digits):
    again, other = load_multidigits(random_state=0), load_multidigits(random_state=1)
    assert np.array_equal(digits.X, again.X)
    assert np.array_equal(digits.Y.toarray(), again.Y.toarray())
    assert not np.array_equal(digits.X, other.X)


def test_digits_beside_each_other_on_the_ring_occur_together(digits):
    together = cooccurrence(digits.Y).toarray()
    for digit in range(10):
        neighbours = together[digit, (digit + 1) % 10] + together[digit, (digit - 1) % 10]
        opposite = together[digit, (digit + 5) % 10]
        assert neighbours > 10 * opposite


def test_training_and_test_images_share_no_handwritten_digit():
    source = load_digits().images / 16
    used = []

    class Recorder(np.ndarray):
        def __getitem__(self, index):
            if isinstance(index, int | np.integer):
                used.append(np.asarray(super().__getitem__(index)).tobytes())
            return super().__getitem__(index)

    def recorded(shown, sources, rng):
        return compose(shown, [images.view(Recorder) for images in sources], rng)

    compose = multidigits._compose
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(multidigits, "_compose", recorded)
        data = load_multidigits()
    n_in_training = int(data.Y[data.split.train].sum())
    assert len(used) == int(data.Y.sum())
    train, test = set(used[:n_in_training]), set(used[n_in_training:])
    assert train <= {image.tobytes() for image in source[:1347]}
    assert test <= {image.tobytes() for image in source[1347:]}
    assert not train & test


def test_the_digits_can_be_learnt_from_the_pixels_but_not_perfectly(digits):
    train, test = digits.train, digits.test
    scores = Ridge(alpha=10.0).fit(train.X, train.Y.toarray()).predict(test.X)
    assert 0.75 < roc_auc_score(test.Y.toarray(), scores, average="macro") < 0.97


@pytest.mark.parametrize(
    "options",
    [
        {"cardinality": 3.0},
        {"rank": 1},
        {"rank": 2, "power": 1.0},
        {"rank": 30, "cardinality": 0.5},
        {"cardinality": 19.0},
        {"strength": 0.0},
        {"strength": 25.0, "power": 0.5},
    ],
)
def test_the_cardinality_is_met_within_a_few_per_cent(options):
    data = make_label_space(8000, 2, 20, random_state=0, **options)
    assert data.cardinality == pytest.approx(options.get("cardinality", 3.0), rel=0.03)


def test_label_frequencies_follow_the_power_law():
    data = make_label_space(50_000, 1, 100, cardinality=4.0, power=1.0, random_state=0)
    frequencies = data.statistics().label_frequencies / 50_000
    harmonic = (1 / np.arange(1, 101)).sum()
    expected = 4.0 / harmonic / np.arange(1, 101)
    cap = (1 + 4.0 / 100) / 2
    excess = max(expected[0] - cap, 0)
    assert frequencies[0] == pytest.approx(min(expected[0], cap), rel=0.03)
    # What the cap takes from the first label the others share in proportion.
    rest = expected[1:] * (1 + excess / expected[1:].sum())
    assert np.abs(frequencies[1:] - rest).max() < 5 * np.sqrt(rest[0] / 50_000)


def test_labels_given_the_cause_have_the_stated_probabilities():
    # With rank 1 the cause is -1 or 1, and noiseless features show which.
    data = make_label_space(
        40_000, 1, 3, rank=1, cardinality=0.9, strength=2.0, noise=0.0, random_state=0
    )
    cause = np.sign(data.X[:, 0])
    shares = np.array([data.Y[np.flatnonzero(cause == side)].mean(axis=0) for side in (-1, 1)])
    # Mean 0.3 over both sides and logits 2 · strength apart, whatever the side.
    logits = np.log(shares / (1 - shares))
    assert shares.mean(axis=0) == pytest.approx(0.3, abs=0.01)
    assert np.abs(logits[1] - logits[0]) == pytest.approx(4.0, abs=0.25)


def test_noiseless_features_have_the_planted_rank_and_unit_variance():
    data = make_label_space(5000, 40, 10, rank=4, noise=0.0, random_state=0)
    assert np.linalg.matrix_rank(data.X) == 4
    assert data.X.var(axis=0) == pytest.approx(1.0, abs=0.08)


def test_noise_has_the_stated_deviation():
    quiet, loud = (
        make_label_space(5000, 40, 10, rank=4, noise=noise, random_state=0) for noise in (0.0, 2.0)
    )
    assert (loud.X - quiet.X).std() == pytest.approx(2.0, rel=0.01)


def test_word_counts_have_the_stated_density_and_more_variance_than_chance():
    data = make_label_space(4000, 300, 5, sparse=True, density=0.1, noise=0.0, random_state=0)
    assert sp.issparse(data.X)
    assert data.X.sum() / (4000 * 300) == pytest.approx(0.1, rel=0.02)
    assert np.array_equal(data.X.data, np.round(data.X.data))
    # Counts of one word mix Poisson laws, so their variance exceeds their mean.
    dense = data.X.toarray()
    assert dense.var() > 1.05 * dense.mean()


def test_words_without_a_cause_are_plainly_poisson():
    data = make_label_space(
        4000, 50, 5, sparse=True, density=0.5, noise=1e6, random_state=0
    ).X.toarray()
    found = np.bincount(data.astype(int).ravel(), minlength=4)[:4] / data.size
    assert found == pytest.approx(poisson(0.5).pmf(np.arange(4)), abs=0.005)


@pytest.mark.parametrize("sparse", [False, True])
def test_labels_can_be_predicted_from_features_only_through_the_cause(sparse):
    aucs = []
    for strength in (6.0, 0.0):
        data = make_label_space(
            3000, 60, 4, cardinality=1.5, strength=strength, sparse=sparse, density=0.5,
            random_state=0,
        )  # fmt: skip
        y = data.Y.toarray()[:, 0]
        model = LogisticRegression(max_iter=500).fit(data.X[:2000], y[:2000])
        aucs.append(roc_auc_score(y[2000:], model.decision_function(data.X[2000:])))
    assert aucs[0] > 0.8
    assert 0.44 < aucs[1] < 0.56


@pytest.mark.parametrize("sparse", [False, True])
def test_planted_data_are_the_same_for_the_same_seed(sparse):
    make = [make_label_space(300, 20, 9, sparse=sparse, random_state=seed) for seed in (0, 0, 1)]
    dense = [sp.csr_array(data.X).toarray() for data in make]
    assert np.array_equal(dense[0], dense[1])
    assert np.array_equal(make[0].Y.toarray(), make[1].Y.toarray())
    assert not np.array_equal(dense[0], dense[2])


def test_many_blocks_have_the_law_of_one(monkeypatch):
    monkeypatch.setattr(_sampling, "_BLOCK_NUMBERS", 5000)
    data = make_label_space(8000, 10, 20, power=0.5, random_state=0)
    assert data.n_samples == 8000
    assert data.cardinality == pytest.approx(3.0, rel=0.03)
    assert len(np.unique(data.X[:, 0])) == 8000


def test_twenty_thousand_labels_never_make_a_dense_array():
    tracemalloc.start()
    data = make_label_space(10_000, 20, 20_000, cardinality=5.0, power=0.8, random_state=0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert data.Y.shape == (10_000, 20_000)
    # The dense array would take 1.6 GB.
    assert peak < 100 * 2**20


@pytest.mark.parametrize("rank", [1, 2, 3, 7])
def test_the_quadrature_is_the_mean_over_the_sphere(rank):
    z = np.random.default_rng(0).standard_normal((400_000, rank))
    t = z[:, 0] / np.linalg.norm(z, axis=1)
    assert _sphere_mean(np.exp, 2.0, rank) == pytest.approx(np.exp(2.0 * t).mean(), rel=0.01)


def test_the_provenance_of_planted_data_is_their_call():
    planted = make_label_space(10, 3, 4, cardinality=1.0, random_state=5)
    assert planted.provenance.source == (
        "make_label_space(10, 3, 4, rank=5, cardinality=1.0, power=0.0, strength=4.0, noise=0.5, "
        "sparse=False, density=0.05, random_state=5)"
    )


@pytest.fixture(scope="module")
def real_looking():
    return make_label_space(20_000, 1, 15, cardinality=4.0, power=0.5, random_state=0).Y


def test_simulated_features_have_the_stated_variances(real_looking):
    total = simulate_features(real_looking, 400, signal_to_noise=0.5, random_state=0)
    # Signal 1, rest 1 / 0.5.
    assert total.var(axis=0).mean() == pytest.approx(3.0, rel=0.1)
    assert np.abs(total.mean(axis=0)).max() < 0.1
    fit = Ridge(alpha=1e-6).fit(real_looking.toarray(), total)
    explained = fit.predict(real_looking.toarray()).var(axis=0).mean()
    assert explained == pytest.approx(1.0, rel=0.15)
    assert (total - fit.predict(real_looking.toarray())).var() == pytest.approx(2.0, rel=0.1)


def test_the_nuisance_share_of_the_rest_lies_in_few_directions():
    blank = np.zeros((5000, 3))
    X = simulate_features(blank, 50, nuisance_share=0.75, n_nuisance=4, random_state=0)
    variances = np.linalg.eigvalsh(np.cov(X.T))[::-1]
    assert variances[4:].mean() == pytest.approx(0.25, rel=0.1)
    assert variances.sum() == pytest.approx(50, rel=0.35)
    assert variances[3] > 4 * variances[4]


def test_unknown_labels_give_no_signal():
    unknown = np.full((2000, 3), np.nan)
    unknown[:1000] = np.eye(3)[np.arange(1000) % 3]
    X = simulate_features(unknown, 40, signal_to_noise=1e6, random_state=0)
    assert np.abs(X[1000:]).max() < 0.05
    assert X[:1000].var() > 0.5


def test_simulated_features_do_not_depend_on_the_form_of_the_labels(real_looking):
    few = real_looking[:200]
    from_sparse = simulate_features(few, 5, random_state=0)
    assert np.array_equal(from_sparse, simulate_features(few.toarray(), 5, random_state=0))
    assert not np.array_equal(from_sparse, simulate_features(few, 5, random_state=1))


def test_a_dataset_with_simulated_features_says_so_and_keeps_the_rest():
    split = Split([0, 1], [2])
    labels = Dataset(
        np.empty((3, 0)), [[1, 0], [0, 1], [1, 1]], label_names=["a", "b"], split=split
    )
    drawn = with_simulated_features(labels, 6, signal_to_noise=2.0, random_state=0)
    assert drawn.X.shape == (3, 6)
    assert drawn.split is split
    assert list(drawn.label_names) == ["a", "b"]
    assert drawn.feature_names[0] == "simulated0"
    assert "simulated features" in drawn.provenance.notes


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: make_label_space(0), "n_samples must be above 0"),
        (lambda: make_label_space(rank=0), "rank=0"),
        (lambda: make_label_space(n_labels=3, cardinality=3), "cardinality=3 with n_labels=3"),
        (lambda: make_label_space(noise=-1.0), "0 or more"),
        (lambda: simulate_features([[1]], 0), "n_features must be above 0"),
        (lambda: simulate_features([[1]], signal_to_noise=0), "signal_to_noise"),
        (lambda: simulate_features([[1]], nuisance_share=2), "nuisance_share must lie"),
    ],
)
def test_wrong_parameters_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
