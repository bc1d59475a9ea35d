"""Models in files: equal bytes after a round trip, one clear error otherwise, nothing run."""

from __future__ import annotations

import hashlib
import io
import json
import pickle
import sys
import zipfile
from importlib.metadata import version

import numpy as np
import pytest
import scipy.sparse as sp
import skops.io
from sklearn.base import BaseEstimator
from sklearn.linear_model import Ridge
from sklearn.metrics.pairwise import linear_kernel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import dlst
from dlst.data import Dataset, load_multidigits
from dlst.decoders import LinearDecoder, MLkNNDecoder
from dlst.encoders import FullCode
from dlst.errors import ModelFileError
from dlst.methods import LabelSpaceClassifier, available, make
from dlst.methods.fitting import fit_dataset
from dlst.persistence import FORMAT, describe_model, load_model, save_model
from dlst.regressors import KernelRidge

BUILT = []


class Noisy(BaseEstimator):
    """A part of somebody's; building it leaves a trace."""

    def __init__(self, volume=1):
        self.volume = volume

    def __setstate__(self, state):
        BUILT.append(state)
        self.__dict__.update(state)

    def fit_transform(self, Y, X=None):
        return FullCode().fit_transform(Y)


@pytest.fixture(scope="module")
def digits():
    data = load_multidigits()
    return data.train.subset(np.arange(120)), data.test.X[:20]


@pytest.fixture(scope="module")
def model(digits):
    train, _ = digits
    return make("mlknn", n_neighbors=5).fit(train.X, train.Y)


@pytest.fixture
def file(model, tmp_path):
    path = tmp_path / "model.skops"
    save_model(model, path)
    return path


def rewrite(path, change):
    """Write the archive again with members changed: ``change(members)`` edits name to bytes."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def in_header(path, **changes):
    def change(members):
        header = json.loads(members["dlst.json"])
        members["dlst.json"] = json.dumps(header | changes).encode()

    rewrite(path, change)


@pytest.mark.parametrize("name", available())
def test_a_round_trip_changes_no_byte(name, digits, tmp_path):
    train, X = digits
    before = make(name)
    if "random_state" in before.get_params():
        before.set_params(random_state=0)
    fit_dataset(before, train)
    save_model(before, tmp_path / "m.skops")
    after = load_model(tmp_path / "m.skops")
    assert type(after) is type(before)
    # By their words: a part of a default part is made anew each time it is asked for.
    assert repr(after.get_params()) == repr(before.get_params())
    assert list(after.label_names_) == list(train.label_names)
    for method in ("predict_proba", "decision_function"):
        assert getattr(after, method)(X).tobytes() == getattr(before, method)(X).tobytes()
    assert (after.predict(X) != before.predict(X)).nnz == 0
    np.testing.assert_array_equal(after.predict_top(X, 3), before.predict_top(X, 3))


def test_explanations_survive_too(digits, tmp_path):
    train, X = digits
    before = make("dlst", random_state=0).fit(train.X, train.Y)
    save_model(before, tmp_path / "m.skops")
    after = load_model(tmp_path / "m.skops")
    np.testing.assert_array_equal(after.explain(X).contributions, before.explain(X).contributions)
    assert after.label_map().equals(before.label_map())


@pytest.mark.parametrize("sparse", [False, True])
def test_scalings_of_sparse_features_survive(sparse, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.poisson(0.2, size=(50, 20)).astype(float)
    Y = (X[:, :3] > 0).astype(int)
    data = Dataset(X, Y) if not sparse else Dataset(sp.csr_array(X), Y)
    before = fit_dataset(make("dlst", random_state=0), data)
    assert before.scaler_.scaling_ == "tfidf"
    save_model(before, tmp_path / "m.skops")
    after = load_model(tmp_path / "m.skops")
    assert after.predict_proba(data.X).tobytes() == before.predict_proba(data.X).tobytes()


def test_pipelines_and_parts_of_scikit_learn_are_saved(digits, tmp_path):
    train, X = digits
    composed = LabelSpaceClassifier(regressor=Ridge(10.0), decoder=LinearDecoder())
    before = make_pipeline(StandardScaler(), composed).fit(train.X, train.Y)
    save_model(before, tmp_path / "m.skops")
    after = load_model(tmp_path / "m.skops")
    assert after.predict_proba(X).tobytes() == before.predict_proba(X).tobytes()


def test_classes_survive(digits, tmp_path):
    train, X = digits
    y = np.array(["few", "many"])[(train.Y.toarray().sum(axis=1) > 2).astype(int)]
    before = make("dlst2").fit(train.X, y)
    save_model(before, tmp_path / "m.skops")
    np.testing.assert_array_equal(load_model(tmp_path / "m.skops").predict(X), before.predict(X))


def test_save_and_load_are_at_the_front_door(model, tmp_path):
    dlst.save_model(model, tmp_path / "m.skops")
    assert dlst.load_model(tmp_path / "m.skops").get_params() == model.get_params()


def test_a_file_says_what_it_holds(digits, tmp_path):
    train, _ = digits
    path = tmp_path / "m.skops"
    data = Dataset(
        train.X,
        train.Y,
        name="toy",
        provenance=dlst.data.Provenance(source="a desk", files={"toy.csv": "ab" * 32}),
    )
    save_model(fit_dataset(make("mlknn", n_neighbors=7), data), path, data=data)
    about = describe_model(path)
    assert about["format"] == FORMAT
    assert about["dlst"] == dlst.__version__
    assert about["model"] == "MLkNN"
    assert about["parameters"]["n_neighbors"] == "7"
    assert set(about["versions"]) == {"numpy", "scipy", "scikit-learn", "skops"}
    assert about["data"] == {
        "name": "toy",
        "n_samples": 120,
        "n_features": 192,
        "n_labels": 10,
        "source": "a desk",
        "files": {"toy.csv": "ab" * 32},
    }


def test_a_model_without_data_names_none(file):
    assert "data" not in describe_model(file)


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.6, 0.9, 0.99, 0.9999])
def test_a_cut_file_is_one_clear_error(file, share):
    content = file.read_bytes()
    file.write_bytes(content[: int(share * len(content))])
    with pytest.raises(ModelFileError, match=f"^{file}: expected a whole model file"):
        load_model(file)


def test_a_changed_byte_is_an_error_or_changes_nothing(file, model, digits):
    _, X = digits
    content, expected = file.read_bytes(), model.predict_proba(X[:2]).tobytes()
    refused = 0
    positions = range(0, len(content), max(1, len(content) // 150))
    for position in positions:
        changed = bytearray(content)
        changed[position] ^= 0x55
        file.write_bytes(changed)
        try:
            # What no hash covers are the times and rights of the archive's members.
            assert load_model(file).predict_proba(X[:2]).tobytes() == expected
        except ModelFileError:
            refused += 1
    assert refused > 0.5 * len(positions)


def _text(path):
    path.write_text("not a model\n")


def _pickle(path):
    path.write_bytes(pickle.dumps({"a": 1}))


def _foreign_zip(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "hello")


def _plain_skops(path):
    path.write_bytes(skops.io.dumps(Ridge()))


def _folder(path):
    path.unlink()
    path.mkdir()


def _bomb(path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("dlst.json", bytes(2**26))


def _bad_json(path):
    rewrite(path, lambda members: members.update({"dlst.json": b"{"}))


def _list_header(path):
    rewrite(path, lambda members: members.update({"dlst.json": b"[1]"}))


def _changed_array(path):
    def change(members):
        name = next(name for name in members if name.endswith(".npy"))
        stream = io.BytesIO()
        np.save(stream, np.load(io.BytesIO(members[name])) + 1)
        members[name] = stream.getvalue()

    rewrite(path, change)


def _changed_description(path):
    def change(members):
        schema = members["schema.json"]
        members["schema.json"] = schema.replace(b'"MLkNN"', b'"DLST2"')
        assert members["schema.json"] != schema

    rewrite(path, change)


def _extra_member(path):
    rewrite(path, lambda members: members.update({"more.npy": b"x"}))


def _missing_member(path):
    rewrite(path, lambda members: members.pop(next(iter(members))))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda path: path.unlink(), "cannot be read: No such file"),
        (_folder, "cannot be read: Is a directory"),
        (_text, "expected a whole model file, got a cut or foreign one"),
        (_pickle, "expected a whole model file, got a cut or foreign one"),
        (_foreign_zip, "expected a model saved by dlst, got another archive"),
        (_plain_skops, "expected a model saved by dlst, got another archive"),
        (_bomb, "unpacks to absurd sizes"),
        (_bad_json, "expected a model file, got"),
        (_list_header, "without a format number"),
        (lambda path: in_header(path, format="1"), "without a format number"),
        (lambda path: in_header(path, format=FORMAT + 1, dlst="9.9"), "saved by dlst 9.9, this is"),
        (lambda path: in_header(path, sha256={}), "do not have the hashes that were saved"),
        (_changed_array, "do not have the hashes that were saved"),
        (_changed_description, "do not have the hashes that were saved"),
        (_extra_member, "do not have the hashes that were saved"),
        (_missing_member, "do not have the hashes that were saved"),
    ],
)
def test_what_is_no_model_of_ours_is_one_clear_error(damage, message, file, monkeypatch):
    damage(file)
    monkeypatch.setattr(skops.io, "loads", lambda *_, **__: pytest.fail("something was built"))
    for read in (load_model, describe_model):
        with pytest.raises(ModelFileError, match=message) as caught:
            read(file)
        assert str(caught.value).startswith(str(file))
        assert "\n" not in str(caught.value)


def test_a_description_that_fits_no_array_is_one_clear_error(file):
    def forge(members):
        header = json.loads(members["dlst.json"])
        schema = json.loads(members["schema.json"])
        schema["__loader__"] = "NoSuchNode"
        members["schema.json"] = json.dumps(schema).encode()
        header["sha256"]["schema.json"] = hashlib.sha256(members["schema.json"]).hexdigest()
        members["dlst.json"] = json.dumps(header).encode()

    rewrite(file, forge)
    with pytest.raises(ModelFileError, match="a description that cannot be built"):
        load_model(file)


@pytest.fixture
def noisy(digits, tmp_path):
    """A model with a part that is not ours."""
    train, _ = digits
    path = tmp_path / "noisy.skops"
    save_model(LabelSpaceClassifier(Noisy(3), random_state=0).fit(train.X, train.Y), path)
    BUILT.clear()
    return path


def test_a_part_of_others_is_not_built(noisy):
    with pytest.raises(ModelFileError, match=r"got .*Noisy\. .* pass trusted=\['.*Noisy'\]"):
        load_model(noisy)
    assert BUILT == []


def test_a_part_of_others_is_built_when_trusted(noisy, digits):
    _, X = digits
    loaded = load_model(noisy, trusted=[f"{Noisy.__module__}.Noisy"])
    assert BUILT
    assert loaded.encoder.volume == 3
    assert loaded.predict_proba(X).shape == (20, 10)


def test_a_module_of_others_is_not_even_imported(noisy, tmp_path, monkeypatch):
    (tmp_path / "trap_of_others.py").write_text("raise SystemExit('imported')\n")
    monkeypatch.syspath_prepend(tmp_path)

    def forge(members):
        members["schema.json"] = members["schema.json"].replace(
            Noisy.__module__.encode(), b"trap_of_others"
        )
        header = json.loads(members["dlst.json"])
        header["sha256"]["schema.json"] = hashlib.sha256(members["schema.json"]).hexdigest()
        members["dlst.json"] = json.dumps(header).encode()

    rewrite(noisy, forge)
    with pytest.raises(ModelFileError, match=r"got trap_of_others\.Noisy"):
        load_model(noisy)
    assert "trap_of_others" not in sys.modules


def test_the_old_file_stays_when_saving_fails(file, model, monkeypatch):
    before = file.read_bytes()

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("dlst._files._flush_to_disk", full)
    with pytest.raises(OSError, match="No space left"):
        save_model(model, file)
    assert file.read_bytes() == before
    assert [entry.name for entry in file.parent.iterdir()] == [file.name]


def test_what_is_no_estimator_is_not_saved(file):
    before = file.read_bytes()
    with pytest.raises(TypeError, match="model must be an estimator; got str"):
        save_model("a model", file)
    assert file.read_bytes() == before


@pytest.mark.parametrize("number", [True, False, 0, -5, 1.0, "1", None])
def test_a_format_number_is_a_whole_number_from_one(file, number):
    in_header(file, format=number)
    for read in (load_model, describe_model):
        with pytest.raises(ModelFileError, match="without a format number from 1"):
            read(file)


@pytest.mark.parametrize(("of_part", "lacking"), [(True, "n_neighbors"), (False, "codes")])
def test_a_model_that_lacks_a_parameter_is_one_error_that_says_who_saved_it(
    digits, tmp_path, of_part, lacking
):
    train, _ = digits
    model = LabelSpaceClassifier(regressor=Ridge(), decoder=MLkNNDecoder()).fit(train.X, train.Y)
    owner = model.decoder_ if of_part else model
    del vars(owner)[lacking]
    save_model(model, tmp_path / "m.skops")
    expected = rf"got one without {type(owner).__name__}\.{lacking}"
    with pytest.raises(ModelFileError, match=expected) as caught:
        load_model(tmp_path / "m.skops")
    learn = version("scikit-learn")
    assert f"Read it with dlst {dlst.__version__} and scikit-learn {learn}" in str(caught.value)


@pytest.mark.parametrize("said", ["9\n\x1b[31m", None, 7, ["9"], "x" * 400])
def test_a_forged_release_is_not_repeated(file, said):
    for number in (FORMAT + 1, 1):
        in_header(file, format=number, dlst=said, versions=said)
        with pytest.raises(ModelFileError, match="dlst of an unknown version") as caught:
            load_model(file)
        assert str(caught.value).isprintable()


def local_kernel():
    def kernel(X, B=None):
        return X @ B.T

    return kernel


@pytest.mark.parametrize("kernel", [lambda X, B=None: X @ B.T, local_kernel()])
def test_a_kernel_without_a_name_to_load_it_by_is_refused_at_save(tmp_path, kernel):
    model = KernelRidge(kernel=kernel)
    with pytest.raises(TypeError, match="must be importable by its name; got"):
        save_model(model, tmp_path / "m.skops")
    assert not list(tmp_path.iterdir())


def test_a_kernel_of_a_module_is_saved(tmp_path):
    save_model(KernelRidge(kernel=linear_kernel), tmp_path / "m.skops")
    loaded = load_model(tmp_path / "m.skops", trusted=["sklearn.metrics.pairwise.linear_kernel"])
    assert loaded.kernel is linear_kernel
