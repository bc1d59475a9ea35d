"""`dlst fit`, `predict`, `evaluate`, `explain` and `methods` as a shell sees them."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from dlst import data as dlst_data
from dlst.cli import main
from dlst.cli.model_options import parse_settings
from dlst.data import Dataset, load_multidigits, random_split
from dlst.data.tables.csv_text import _EXACT_FLOATS
from dlst.methods import available, make
from dlst.metrics import evaluate
from dlst.persistence import describe_model, load_model, save_model


@pytest.fixture
def mistake(run):
    """Run a command that must end with code 2, nothing on stdout and one line on stderr."""

    def call(*arguments):
        code, out, err = run(*arguments)
        assert code == 2
        assert out == ""
        assert err.startswith("dlst: error: ")
        assert err.count("\n") == 1
        return err

    return call


@pytest.fixture(scope="module")
def digits():
    data = load_multidigits()
    return data.train.subset(np.arange(120)), data.test.subset(np.arange(30))


@pytest.fixture(scope="module")
def files(digits, tmp_path_factory):
    """Training rows, test rows, test rows without labels, and a fitted DLST."""
    folder = tmp_path_factory.mktemp("models")
    train, test = digits
    dlst_data.save(train, folder / "train.csv")
    dlst_data.save(test, folder / "test.csv")
    pd.DataFrame(test.X, columns=list(test.feature_names)).to_csv(folder / "new.csv", index=False)
    code = main(["fit", str(folder / "train.csv"), "-o", str(folder / "model.skops")])
    assert code == 0
    return folder


@pytest.fixture(scope="module")
def model(files):
    """Give the method inside; numbers reach it as they are."""
    return load_model(files / "model.skops").method_


def test_methods_are_listed(run):
    code, out, err = run("methods")
    assert (code, err) == (0, "")
    assert all(name in out for name in available())
    rows = json.loads(run("methods", "--json")[1])
    assert [row["name"] for row in rows] == list(available())


def test_a_fitted_model_is_the_one_python_fits(files, model, digits):
    train, test = digits
    expected = make("dlst", random_state=0).fit(train.X, train.Y).predict_proba(test.X)
    np.testing.assert_array_equal(model.predict_proba(test.X), expected)
    assert list(model.label_names_) == list(train.label_names)
    about = describe_model(files / "model.skops")["data"]
    assert (about["n_samples"], about["n_labels"]) == (120, 10)
    assert len(about["files"]["train.csv"]) == 64


@pytest.mark.parametrize("name", available())
def test_every_method_is_fitted_saved_and_measured(name, run, files, tmp_path):
    code, _, _ = run("fit", files / "train.csv", "-o", tmp_path / "m.skops", "--method", name)
    assert code == 0
    code, out, _ = run("evaluate", tmp_path / "m.skops", files / "test.csv", "--json")
    assert code == 0
    assert 0 < json.loads(out)["scores"]["instance_average_precision"] <= 1


def test_fit_tells_what_it_did(run, files, tmp_path):
    out = tmp_path / "m.skops"
    code, text, err = run("fit", files / "train.csv", "-o", out, "--method", "mlknn")
    assert (code, err) == (0, "")
    assert text.startswith("how your columns were read")
    assert "\nfitted mlknn to 120 rows of train in " in text
    assert text.endswith(f"wrote {out}\n")


def test_fit_in_json_with_parameters_and_a_seed(run, files, tmp_path):
    out = tmp_path / "m.skops"
    parts = ("--set", "encoder.n_components=3", "--set", "regressor.alpha=0.1")
    arguments = ("--method", "DLST_Paper", *parts)
    code, text, _ = run("fit", files / "train.csv", "-o", out, *arguments, "--seed", 4, "--json")
    assert code == 0
    facts = json.loads(text)
    assert (facts["n_samples"], facts["n_labels"]) == (120, 10)
    parameters = load_model(out).method_.get_params()
    assert (parameters["encoder__n_components"], parameters["regressor__alpha"]) == (3, 0.1)
    assert parameters["random_state"] == 4


def test_methods_lists_all_or_what_can_be_set_of_one(run):
    listed = run("methods")[1]
    assert all(f"{name} " in listed for name in available())
    code, text, err = run("methods", "DLST")
    assert (code, err) == (0, "")
    assert text.startswith("DLST: ")
    for said in ("decision", "tau", "decoder.min_rows", "regressor.alpha", "encoder.n_components"):
        assert said in text
    assert text.index("encoder.") < text.index("regressor.") < text.index("decoder.")
    facts = json.loads(run("methods", "dlst-paper", "--json")[1])
    assert facts["parameters"]["decoder.n_neighbors"] == "10"
    assert "tuned by default: regressor.alpha in 0.01, 0.1, 1.0" in run("methods", "dlst-paper")[1]


def test_the_example_of_the_help_works(run, files, tmp_path):
    shown = run("fit", "--help")[1]
    assert "--decision" in shown
    assert "decoder.n_jobs=2" in shown
    out = tmp_path / "m.skops"
    settings = ("--decision", "micro", "--set", "decoder.n_jobs=2", "--set", "tau=0")
    assert run("fit", files / "train.csv", "-o", out, *settings)[0] == 0
    model = load_model(out).method_
    assert (model.decision, model.decoder.n_jobs, model.tau) == ("micro", 2, 0)


def test_a_seed_that_is_set_wins(run, files, tmp_path):
    out = tmp_path / "m.skops"
    run("fit", files / "train.csv", "-o", out, "--method", "dlst1", "--set", "random_state=9")
    assert load_model(out).method_.random_state == 9


def test_a_known_set_is_fitted_on_its_training_rows_and_measured_on_its_test_rows(run, tmp_path):
    out = tmp_path / "m.skops"
    fitted = json.loads(run("fit", "multidigits", "-o", out, "--method", "dlst2", "--json")[1])
    assert fitted["n_samples"] == 1500
    assert json.loads(run("evaluate", out, "multidigits", "--json")[1])["n_samples"] == 500
    everything = json.loads(run("evaluate", out, "multidigits", "--all", "--json")[1])
    assert everything["n_samples"] == 2000


def test_rows_are_kept_apart_for_data_of_no_split(run, mistake, files, tmp_path):
    file, data = tmp_path / "m.skops", files / "train.csv"
    command = ("fit", data, "-o", file, "--method", "dlst2", "--test-size", 0.25, "--json")
    assert json.loads(run(*command)[1])["n_samples"] == 90
    code, out, err = run("evaluate", file, data, "--test-size", 0.25, "--json")
    assert (code, json.loads(out)["n_samples"], err) == (0, 30, "")
    # The rows are those of the seed, and none was seen in training.
    drawn = random_split(dlst_data.load(data), 0.25, random_state=0)
    held_out = dlst_data.load(data).subset(drawn.test)
    expected = evaluate(held_out.Y, load_model(file).decision_function(held_out.X))
    found = json.loads(out)["scores"]["instance_average_precision"]
    assert found == expected["instance_average_precision"]
    code, _, err = run("evaluate", file, data)
    assert code == 0
    assert "not test scores" in err
    assert "not test scores" not in run("evaluate", file, files / "test.csv")[2]
    assert "--all was given" in mistake("evaluate", file, data, "--all", "--test-size", 0.25)
    assert "between 0 and 1; got 2" in mistake("evaluate", file, data, "--test-size", 2)
    assert "has a split" in mistake("evaluate", file, "multidigits", "--test-size", 0.25)


def test_a_warning_of_the_method_is_a_note(run, files, digits, tmp_path):
    train, _ = digits
    Y = np.column_stack([train.Y.toarray(), np.zeros(120)])
    dlst_data.save(Dataset(train.X, Y), tmp_path / "t.csv")
    code, _, err = run("fit", tmp_path / "t.csv", "-o", tmp_path / "m.skops", "--method", "mlknn")
    assert code == 0
    assert err == (
        "note: 1 of 11 labels have only one value in the training rows; they get the constant "
        "score of their prevalence.\n"
    )


def test_settings_are_python_values_or_words():
    found = parse_settings(["a=1", "b = 0.5", "c=None", "d=micro", "e=[1, 2]", "f='x'", "g=x=y"])
    assert found == {
        "a": 1,
        "b": 0.5,
        "c": None,
        "d": "micro",
        "e": [1, 2],
        "f": "x",
        "g": "x=y",
    }


def test_evaluate_says_what_the_metrics_say(run, files, model, digits):
    _, test = digits
    code, text, err = run("evaluate", files / "model.skops", files / "test.csv", "--json")
    assert (code, err) == (0, "")
    found = json.loads(text)
    assert found["n_samples"] == 30
    ap = evaluate(test.Y, model.decision_function(test.X), ["instance_average_precision"])
    assert found["scores"]["instance_average_precision"] == ap["instance_average_precision"]
    macro = evaluate(test.Y, model.predict_proba(test.X), ["macro_average_precision"])
    assert found["scores"]["macro_average_precision"] == macro["macro_average_precision"]
    f1 = evaluate(test.Y, None, ["micro_f1"], Y_pred=model.predict(test.X))
    assert found["decisions"]["micro_f1"] == f1["micro_f1"]
    assert found["top_r"]["r"] == 3  # 2.06 labels a row, rounded up
    top = evaluate(test.Y, model.decision_function(test.X), ["micro_f1"], r=3)
    assert found["top_r"]["micro_f1"] == top["micro_f1"]
    assert found["top_r"]["micro_f1"] <= found["top_r_ceiling"]["micro_f1"]


def test_evaluate_shows_the_rules_side_by_side(run, files, model, digits, tmp_path):
    _, test = digits
    found = json.loads(run("evaluate", files / "model.skops", files / "test.csv", "--json")[1])
    assert (found["decision"], found["rules"]["f1"]) == ("f1", found["decisions"])
    decided = model.predict(test.X, decision="macro")
    expected = evaluate(test.Y, None, ["macro_f1"], Y_pred=decided)["macro_f1"]
    assert found["rules"]["macro"]["macro_f1"] == pytest.approx(expected)
    text = run("evaluate", files / "model.skops", files / "test.csv")[1]
    assert "decisions of the model, by the rule f1" in text
    assert "f1 *" in text
    assert "subset" in text
    own = tmp_path / "own.skops"
    run("fit", files / "train.csv", "-o", own, "--method", "krr")
    text = run("evaluate", own, files / "test.csv")[1]
    assert "by its authors' rule" in text
    assert "Fit with --decision f1" in text


def test_a_wrong_decision_is_one_line(mistake, files, tmp_path):
    said = mistake("fit", files / "train.csv", "-o", tmp_path / "m", "--decision", "best")
    assert "decision must be one of own, f1" in said


def test_evaluate_shows_a_table(run, files):
    code, text, _ = run("evaluate", files / "model.skops", files / "test.csv")
    assert code == 0
    assert "instance_average_precision" in text
    assert "No ranking can exceed" in text


def test_columns_in_another_order_are_found_by_name(run, files, tmp_path):
    table = pd.read_csv(files / "test.csv")
    mixed = table.sample(frac=1, axis=1, random_state=0)
    mixed.to_csv(tmp_path / "test.csv", index=False)
    straight = run("evaluate", files / "model.skops", files / "test.csv", "--json")[1]
    assert run("evaluate", files / "model.skops", tmp_path / "test.csv", "--json")[1] == straight


def read_table(path):
    if path.suffix in (".parquet", ".pq"):
        return pd.read_parquet(path)
    tab = ".tsv" in path.name
    return pd.read_csv(path, sep="\t" if tab else ",", **_EXACT_FLOATS)


def read_arff(path):
    lines = path.read_text().splitlines()
    names = [line.split()[1].strip("'") for line in lines if line.startswith("@attribute")]
    start = lines.index("@data") + 1
    return pd.DataFrame(
        [list(map(float, line.split(","))) for line in lines[start:]], columns=names
    )


def read_xc(path):
    first, *lines = path.read_text().split("\n")[:-1]
    rows = [[pair.split(":") for pair in line.split()] for line in lines]
    return first, [[(int(label), float(score)) for label, score in row] for row in rows]


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".tsv.gz", ".parquet", ".pq", ".arff"])
@pytest.mark.parametrize("decisions", [False, True])
def test_tables_of_predictions_are_what_the_model_says(
    suffix, decisions, run, files, model, digits, tmp_path
):
    _, test = digits
    out = tmp_path / f"out{suffix}"
    flag = ["--decisions"] if decisions else []
    code, text, err = run("predict", files / "model.skops", files / "new.csv", "-o", out, *flag)
    assert (code, text, err) == (0, f"wrote {out}, 30 rows\n", "")
    found = read_arff(out) if suffix == ".arff" else read_table(out)
    if suffix != ".arff":
        cells = found.pop("tags").fillna("").astype(str)
        tags = [";".join(sorted(cell.removesuffix(".0").split(";"))) for cell in cells]
        decided = model.predict(test.X).toarray()
        names = np.array(test.label_names)
        assert [tag.replace("nan", "") for tag in tags] == [
            ";".join(names[row == 1]) for row in decided
        ]
    assert found.columns.tolist() == list(test.label_names)
    expected = model.predict(test.X).toarray() if decisions else model.predict_proba(test.X)
    np.testing.assert_array_equal(found.to_numpy(float), expected)
    if suffix.endswith(".gz"):
        assert gzip.decompress(out.read_bytes()).startswith(b"tags\t0\t1")


def test_another_rule_of_those_learnt_may_decide(run, files, model, digits, tmp_path):
    test, out = digits[1], tmp_path / "out.csv"
    given = (files / "model.skops", files / "new.csv", "-o", out, "--decisions")
    assert run("predict", *given, "--decision", "hamming")[0] == 0
    found = pd.read_csv(out)[list(test.label_names)].to_numpy()
    np.testing.assert_array_equal(found, model.predict(test.X, decision="hamming").toarray())
    assert (found != model.predict(test.X).toarray()).any()


def test_a_rule_that_is_not_known_names_those_that_are(mistake, files, tmp_path):
    given = (files / "model.skops", files / "new.csv", "-o", tmp_path / "out.csv")
    told = mistake("predict", *given, "--decision", "haming")
    assert "--decision must be one of own, top, f1" in told
    assert "Did you mean 'hamming'?" in told


def test_decisions_in_arff_are_nominal_and_read_as_labels(run, files, model, digits, tmp_path):
    _, test = digits
    out = tmp_path / "out.arff"
    run("predict", files / "model.skops", files / "new.csv", "-o", out, "--decisions")
    again = dlst_data.load(out)
    assert list(again.label_names) == list(test.label_names)
    assert (model.predict(test.X) != again.Y).nnz == 0


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_tables_of_the_top_labels(suffix, run, files, model, digits, tmp_path):
    _, test = digits
    out = tmp_path / f"out{suffix}"
    assert run("predict", files / "model.skops", files / "new.csv", "-o", out, "--top", 2)[0] == 0
    found = read_table(out)
    expected = ["tags", "tag1", "probability1", "tag2", "probability2"]
    assert found.columns.tolist() == expected
    top, P = model.predict_top(test.X, 2), model.predict_proba(test.X)
    for place in range(2):
        names = [test.label_names[label] for label in top.labels[:, place]]
        assert found[f"tag{place + 1}"].astype(str).tolist() == names
        likely = P[np.arange(30), top.labels[:, place]]
        np.testing.assert_array_equal(found[f"probability{place + 1}"], likely)


@pytest.mark.parametrize(("arguments", "k"), [((), 5), (("--top", "3"), 3)])
def test_xc_text_lists_the_top_labels(arguments, k, run, files, model, digits, tmp_path):
    _, test = digits
    out = tmp_path / "out.xc"
    run("predict", files / "model.skops", files / "new.csv", "-o", out, *arguments)
    first, rows = read_xc(out)
    assert first == "30 10"
    top = model.predict_top(test.X, k)
    for row, pairs in enumerate(rows):
        assert pairs == list(zip(top.labels[row].tolist(), top.scores[row].tolist(), strict=True))


def test_xc_text_of_decisions_lists_the_labels_decided_for(run, files, model, digits, tmp_path):
    _, test = digits
    out = tmp_path / "out.txt"
    run("predict", files / "model.skops", files / "new.csv", "-o", out, "--decisions")
    _, rows = read_xc(out)
    decided = model.predict(test.X).toarray()
    assert [[label for label, _ in pairs] for pairs in rows] == [
        np.flatnonzero(row).tolist() for row in decided
    ]


def test_predictions_do_not_depend_on_blocks(run, files, model, digits, tmp_path, monkeypatch):
    _, test = digits
    out = tmp_path / "out.csv"
    monkeypatch.setattr("dlst.methods.answers.ENTRIES_AT_ONCE", 7 * 10)
    run("predict", files / "model.skops", files / "new.csv", "-o", out)
    found = read_table(out).drop(columns="tags").to_numpy()
    np.testing.assert_allclose(found, model.predict_proba(test.X), rtol=1e-12)


def test_data_with_labels_are_predicted_from_their_features(run, files, tmp_path):
    with_labels, without = tmp_path / "a.csv", tmp_path / "b.csv"
    facts = run("predict", files / "model.skops", files / "test.csv", "-o", with_labels, "--json")
    assert json.loads(facts[1]) == {"written": str(with_labels), "n_samples": 30}
    run("predict", files / "model.skops", files / "new.csv", "-o", without)
    assert with_labels.read_bytes() == without.read_bytes()


def test_labels_named_by_position_are_left_out_of_the_features(run, digits, tmp_path):
    train, _ = digits
    values = np.column_stack([train.X[:, :20], train.Y.toarray()[:, :2]])
    columns = [*train.feature_names[:20], "odd", "even"]
    pd.DataFrame(values, columns=columns).to_csv(tmp_path / "t.csv", index=False)
    m, out = tmp_path / "m.skops", tmp_path / "p.csv"
    assert run("fit", tmp_path / "t.csv", "-o", m, "--labels", "-2", "--method", "mlknn")[0] == 0
    assert run("predict", m, tmp_path / "t.csv", "-o", out)[0] == 0
    assert read_table(out).columns.tolist() == ["tags", "odd", "even"]
    remembered = run("evaluate", m, tmp_path / "t.csv", "--json")
    assert run("evaluate", m, tmp_path / "t.csv", "--labels", "-2", "--json") == remembered


def test_explain_adds_up_and_names_voters(run, files, model, digits):
    train, test = digits
    arguments = (files / "model.skops", files / "test.csv", "--row", 3, "--top", 4)
    code, text, _ = run("explain", *arguments, "--json")
    assert code == 0
    found = json.loads(text)
    assert found["row"] == 3
    assert len(found["labels"]) == 4
    P = model.predict_proba(test.X[[3]])[0]
    best = np.argsort(-P)[:4]
    for label, facts in zip(best, found["labels"], strict=True):
        assert facts["tag"] == test.label_names[label]
        assert facts["probability"] == pytest.approx(P[label], abs=1e-12)
        total = facts["start"] + sum(facts["contributions"].values())
        assert total == pytest.approx(facts["logit"], abs=1e-10)
    for votes in found["voters"].values():
        assert len(votes) == 5
        assert all(0 <= vote["row"] < train.n_samples for vote in votes)
    more = json.loads(run("explain", *arguments, "--json", "--voters", 30)[1])
    assert len(more["voters"]["code vote"]) > 5
    shown = run("explain", *arguments, "--top", 10)[1]
    assert "row 3" in shown
    assert "nearest training rows" in shown
    assert shown.count("yes") == test.Y[[3]].nnz


def test_voters_of_a_matrix_have_their_labels_where_the_data_tell(run, digits, tmp_path):
    train, _ = digits
    data, out = tmp_path / "digits.arff", tmp_path / "m.skops"
    dlst_data.save(train, data)
    assert run("fit", data, "-o", out)[0] == 0
    code, text, err = run("explain", out, data, "--row", 3, "--json")
    assert code == 0
    assert "a row that it has seen finds itself among its voters" in err
    voters = json.loads(text)["voters"]["feature vote"]
    assert voters[0]["row"] == 3
    for voter in voters:
        present = train.Y[[voter["row"]]].indices
        assert voter["tags"] == [train.label_names[label] for label in present]
    _, _, err = run("explain", out, data, "--row", 3, "--test-size", 0.25)
    assert "these are the 30 test rows" in err
    assert "finds itself" not in err


def test_explain_does_not_take_unknown_labels_for_true_ones(run, files, digits, tmp_path):
    _, test = digits
    Y = np.full((30, 10), np.nan)
    Y[:, 0] = 0
    dlst_data.save(
        Dataset(test.X, Y, feature_names=test.feature_names, label_names=test.label_names),
        tmp_path / "t.csv",
    )
    code, shown, _ = run("explain", files / "model.skops", tmp_path / "t.csv", "--top", 10)
    assert code == 0
    assert "yes" not in shown


def test_explain_works_without_labels(run, files):
    code, shown, _ = run("explain", files / "model.skops", files / "new.csv")
    assert code == 0
    assert "true" not in shown


def test_files_that_exist_are_not_replaced_unless_told(run, mistake, files, tmp_path):
    out = tmp_path / "out.csv"
    out.write_text("precious")
    for command in (
        ("fit", files / "train.csv", "-o", out),
        ("predict", files / "model.skops", files / "new.csv", "-o", out),
    ):
        assert "exists already. Choose another name, or add --force." in mistake(*command)
        assert out.read_text() == "precious"
    assert run("predict", files / "model.skops", files / "new.csv", "-o", out, "--force")[0] == 0
    assert out.read_text().startswith("tags,0,1,2")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("fit", "{train}", "-o", "{out}", "--method", "dslt"), "Did you mean dlst"),
        (("fit", "{train}", "-o", "{out}", "--set", "alpa=1"), "no parameter 'alpa'"),
        (("fit", "{train}", "-o", "{out}", "--set", "alpha"), "--set takes NAME=VALUE"),
        (
            ("fit", "{train}", "-o", "{out}", "--set", "regressor.alpha=x"),
            "alpha must be positive numbers; got ['x']",
        ),
        (
            ("fit", "{train}", "-o", "{out}", "--method", "dlst-paper", "--set", "n_neighbors=9"),
            "dlst-paper has no parameter 'n_neighbors'. Did you mean decoder.n_neighbors?",
        ),
        (("fit", "{train}", "-o", "{out}", "--set", "decision=x"), "decision must be one of"),
        (("fit", "{train}", "-o", "{out}", "--set", "cardinality=x"), "cardinality must be"),
        (("fit", "{train}", "-o", "no/such/m.skops"), "Make it first"),
        (("fit", "nowhere.csv", "-o", "{out}"), "expected a file, a folder or a known name"),
        (("fit", "{new}", "-o", "{out}"), "label"),
        (("fit", "{train}"), "Missing option '--out'"),
        (("predict", "{model}", "{new}", "-o", "{out}.docx"), "expected a name that ends in one"),
        (("predict", "{model}", "{new}", "-o", "no/such/p.csv"), "Make it first"),
        (("predict", "{model}", "{new}", "-o", "{out}.csv", "--top", "0"), "--top"),
        (("predict", "{model}", "{new}", "-o", "{out}.xc", "--top", "0"), "--top"),
        (("predict", "{model}", "{new}", "-o", "{out}.csv", "--top", "11"), "at most the number"),
        (("predict", "{model}", "{new}", "-o", "{out}.arff", "--top", "2"), "--top goes with"),
        (
            ("predict", "{model}", "{new}", "-o", "{out}.csv", "--top", "2", "--decisions"),
            "--top goes with",
        ),
        (("predict", "{model}", "{narrow}", "-o", "{out}.csv"), "more are missing"),
        (("predict", "{train}", "{new}", "-o", "{out}.csv"), "expected a whole model file"),
        (("predict", "nowhere.skops", "{new}", "-o", "{out}.csv"), "cannot be read"),
        (("evaluate", "{model}", "{new}"), "expected a label column 'label:0', got none"),
        (("evaluate", "{model}", "{narrow}"), "expected a label column 'label:0', got none"),
        (("evaluate", "{model}", "{other}"), "expected a label column 'label:0', got none"),
        (("explain", "{model}", "{test}", "--row", "30"), "--row must be from 0 to 29"),
        (("explain", "{model}", "{test}", "--row", "-1"), "--row must be from 0 to 29"),
        (("explain", "{model}", "{test}", "--top", "0"), "--top"),
        (("explain", "{knn}", "{test}"), "MLkNN does not explain its scores"),
        (("evaluate", "{pipeline}", "{test}"), "fitted to labels, got another Pipeline"),
        (("evaluate", "{unfitted}", "{test}"), "expected a method of `dlst methods` fitted to"),
        (("evaluate", "{classes}", "{test}"), "fitted to labels, got another MLkNN"),
    ],
)
def test_a_mistake_gets_code_2_and_one_line(arguments, message, mistake, files, digits, tmp_path):
    train, test = digits
    places = {name: files / f"{name}.csv" for name in ("train", "test", "new")}
    places |= {"model": files / "model.skops", "out": tmp_path / "out"}
    needed = " ".join(arguments)
    places["narrow"] = tmp_path / "narrow.csv"
    dlst_data.save(Dataset(test.X[:, :5], test.Y), places["narrow"])
    places["other"] = tmp_path / "other.csv"
    names = [f"tag{j}" for j in range(10)]
    dlst_data.save(
        Dataset(test.X, test.Y, feature_names=test.feature_names, label_names=names),
        places["other"],
    )
    for name, make_model in {
        "knn": lambda: make("mlknn").fit(train.X, train.Y),
        "pipeline": lambda: make_pipeline(StandardScaler(), make("mlknn")).fit(train.X, train.Y),
        "unfitted": lambda: make("mlknn"),
        "classes": lambda: make("mlknn").fit(train.X, train.Y.toarray()[:, 0]),
    }.items():
        places[name] = tmp_path / f"{name}.skops"
        if f"{{{name}}}" in needed:
            save_model(make_model(), places[name])
    before = sorted(tmp_path.iterdir())
    assert message in mistake(*(argument.format(**places) for argument in arguments))
    assert sorted(tmp_path.iterdir()) == before


def test_data_with_labels_only_cannot_be_fitted(mistake, tmp_path):
    Y = sp.csr_array(np.eye(4))
    dlst_data.save(Dataset(np.empty((4, 0)), Y), tmp_path / "y.csv")
    message = mistake("fit", tmp_path / "y.csv", "-o", tmp_path / "m.skops")
    assert "a method needs features" in message


@pytest.mark.real_data
def test_copies_in_other_formats_give_equal_metrics(run, real_data, tmp_path):
    data = dlst_data.load("yeast")
    train, test = data.train.subset(np.arange(300)), data.test.subset(np.arange(150))
    found = {}
    for suffix in ("arff", "csv", "xc"):
        dlst_data.save(train, tmp_path / f"a.{suffix}")
        dlst_data.save(test, tmp_path / f"b.{suffix}")
        m = tmp_path / f"{suffix}.skops"
        assert run("fit", tmp_path / f"a.{suffix}", "-o", m, "--set", "decision=micro")[0] == 0
        code, text, err = run("evaluate", m, tmp_path / f"b.{suffix}", "--json")
        assert (code, err) == (0, "")
        found[suffix] = json.loads(text)
    assert found["arff"]["n_samples"] == 150
    assert found["csv"] == found["arff"]
    assert found["xc"] == found["arff"]
    # A model of one copy measures another.
    crossed = run("evaluate", tmp_path / "arff.skops", tmp_path / "b.xc", "--json")[1]
    assert json.loads(crossed)["scores"] == found["arff"]["scores"]
