"""Plans expand into cells with stable keys, and mistakes are told before anything runs."""

from __future__ import annotations

import numpy as np
import pytest
from small_runs import write_table

from dlst.data import load
from dlst.errors import PlanError, UnknownNameError
from dlst.experiments import Cell, Plan, Variant, plan_of, read_plan
from dlst.experiments.protocols import rows_of, with_unlabelled


def test_a_plan_is_a_product_in_order():
    plan = Plan(["a", "b"], ["mlknn", "dlst"], splits=["random"], seeds=[3, 5])
    found = [(cell.data, cell.seed, cell.method) for cell in plan.cells()]
    assert found == [(d, s, m) for d in "ab" for s in (3, 5) for m in ("mlknn", "dlst")]


def test_an_official_split_is_run_for_one_seed_unless_something_is_drawn():
    assert len(Plan(["a"], ["mlknn"], splits=["official"], seeds=4).cells()) == 1
    drawn = Plan(["a"], ["mlknn"], splits=["official"], seeds=4, protocols=[{"missing": 0.5}])
    assert len(drawn.cells()) == 4


def test_keys_are_stable_across_versions_and_differ_between_cells():
    cell = Cell("emotions", "dlst", {"alpha": 0.1, "basis": "random"}, seed=2)
    assert cell.key == Cell("emotions", "dlst", {"basis": "random", "alpha": 0.1}, seed=2).key
    # A literal: records of older runs must still be found.
    assert cell.key == "0872f8922c4458891787"
    cells = Plan(
        ["a", "b"],
        ["mlknn", Variant("mlknn", {"n_neighbors": 3})],
        splits=["random", "official"],
        seeds=2,
        protocols=[{}, {"missing": 0.2}],
    ).cells()
    assert len({cell.key for cell in cells}) == len(cells)


def test_a_method_named_twice_is_run_once():
    assert len(Plan(["a"], ["mlknn", "ML_kNN".replace("_", "")]).cells()) == 1


def test_titles_say_what_differs_from_the_method():
    assert Variant("mlknn").title == "ML-kNN"
    assert Variant("mlknn", {"n_neighbors": 3}).title == "ML-kNN (n_neighbors=3)"
    assert Variant("mlknn", {"n_neighbors": 3}, "mine").title == "mine"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"methods": ["mlknn"]}, "must say its data"),
        ({"data": ["a"], "methods": []}, "at least one entry"),
        ({"data": "a", "methods": ["mlknn"]}, "data must be a list"),
        ({"data": ["a"], "methods": ["mlknn"], "seed": 3}, "got seed. Did you mean 'seeds'"),
        ({"data": ["a"], "methods": ["mlknn"], "seeds": 0}, "seeds must be"),
        ({"data": ["a"], "methods": ["mlknn"], "seeds": ["x"]}, "seeds must be"),
        ({"data": ["a"], "methods": ["mlknn"], "splits": ["half"]}, "got 'half'"),
        ({"data": ["a"], "methods": ["mlknn"], "tuning": "yes"}, "got 'yes'"),
        ({"data": ["a"], "methods": [{"name": "mlknn"}]}, "a method must be a name"),
        ({"data": ["a"], "methods": ["mlknn"], "protocols": [{"lost": 1}]}, "got lost"),
        ({"data": ["a"], "methods": ["mlknn"], "protocols": [{"missing": 2}]}, "got 2"),
        ({"data": ["a"], "methods": ["mlknn"], "protocols": [{"rows": [1]}]}, r"got \[1\]"),
    ],
)
def test_a_plan_that_cannot_be_run_is_one_clear_error(given, message):
    with pytest.raises(PlanError, match=message):
        plan_of(given)


def test_unknown_methods_and_parameters_are_told_at_once():
    with pytest.raises(UnknownNameError, match="Did you mean mlknn"):
        Plan(["a"], ["mlkn"])
    with pytest.raises(ValueError, match="Did you mean n_neighbors"):
        Plan(["a"], [{"method": "mlknn", "parameters": {"n_neighbor": 3}}])


def test_a_plan_is_read_from_toml(tmp_path):
    file = tmp_path / "plan.toml"
    file.write_text(
        'data = ["a.csv"]\nmethods = ["dlst", {method = "mlknn", parameters = {n_neighbors = 3}}]\n'
        'seeds = 2\nsplits = ["random"]\ntuning = "once"\n[[protocols]]\nmissing = 0.3\n'
    )
    plan = read_plan(file)
    assert len(plan.cells()) == 4
    assert plan.cells()[1].parameters == {"n_neighbors": 3}
    assert plan_of(plan.as_dict()).cells() == plan.cells()


@pytest.mark.parametrize(
    "content",
    [
        "data = [",
        b"\xff",
        'data = ["a"]\n',
        'data = ["a"]\nmethods = ["mlkn"]\n',
    ],
)
def test_a_file_that_is_no_plan_is_named(tmp_path, content):
    file = tmp_path / "plan.toml"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(PlanError, match=r"plan\.toml: "):
        read_plan(file)
    with pytest.raises(PlanError, match="could not be read"):
        read_plan(tmp_path / "absent.toml")


@pytest.fixture
def table(tmp_path):
    return load(write_table(tmp_path / "t.csv"))


def test_rows_are_the_same_for_a_seed_and_others_for_another(table):
    a, b, c = (rows_of(table, "random", seed, {}) for seed in (1, 1, 2))
    np.testing.assert_array_equal(a.train.X, b.train.X)
    assert not np.array_equal(a.train.X, c.train.X)
    assert (a.train.n_samples, a.test.n_samples) == (30, 30)
    assert rows_of(table, "auto", 0, {"test_size": 0.25}).test.n_samples == 15


def test_protocols_limit_rows_take_fractions_and_drop_labels(table):
    limited = rows_of(table, "random", 0, {"rows": [12, 7]})
    assert (limited.train.n_samples, limited.test.n_samples) == (12, 7)
    whole = rows_of(table, "random", 0, {})
    part = rows_of(table, "random", 0, {"fraction": 0.2})
    assert (part.train.n_samples, part.test.n_samples) == (12, 48)
    missing = rows_of(table, "random", 0, {"missing": 0.3})
    assert missing.train.Y.sum() < whole.train.Y.sum()
    assert missing.effective_missing == pytest.approx(
        1 - missing.train.Y.sum() / whole.train.Y.sum()
    )
    assert missing.test.Y.sum() == whole.test.Y.sum()


def test_unlabelled_rows_show_features_and_hide_labels(table):
    rows = rows_of(table, "random", 0, {})
    both = with_unlabelled(rows.train, rows.test)
    np.testing.assert_array_equal(both.X[30:], rows.test.X)
    assert np.isnan(both.Y.toarray()[30:]).all()
    np.testing.assert_array_equal(both.Y.toarray()[:30], rows.train.Y.toarray())
