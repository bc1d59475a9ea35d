"""The methods by name."""

from __future__ import annotations

import pytest
from sklearn.model_selection import ParameterGrid

from dlst.decoders import MLkNNDecoder
from dlst.errors import UnknownNameError
from dlst.methods import (
    DLST,
    DLST1,
    DLST2,
    METHODS,
    LiteralDLST,
    MLkNN,
    MultiLabelClassifier,
    PaperDLST,
    available,
    make,
    method_info,
)


def test_the_methods_of_the_paper_are_there_and_names_are_distinct():
    own = {"dlst", "dlst-paper", "dlst-literal", "dlst-linear", "dlst1", "dlst2", "mlknn"}
    compared = {"br", "plst", "cplst", "faie", "mlloc", "mc", "miml", "slrm", "mrv", "leml"}
    assert set(available()) == own | compared | {"krr", "ecc", "rakel", "clems", "sleec"}
    assert len(set(available())) == len(METHODS)
    assert len({method.title for method in METHODS}) == len(METHODS)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_a_row_makes_what_it_says(method):
    model = make(method.name)
    assert type(model) is method.make
    assert isinstance(model, MultiLabelClassifier)
    for choice in ParameterGrid(dict(method.param_grid)):
        make(method.name, **choice)
    assert method.meaning
    assert "\n" not in method.meaning


def test_names_mean_classes():
    assert type(make("dlst")) is DLST
    assert type(make("dlst-paper")) is PaperDLST
    assert type(make("dlst-literal")) is LiteralDLST
    assert isinstance(make("dlst1"), DLST1)
    assert isinstance(make("dlst2"), DLST2)
    assert type(make("mlknn")) is MLkNN


def test_parameters_are_passed_on_to_the_method_and_to_its_parts():
    assert make("mlknn", n_neighbors=3).n_neighbors == 3
    assert make("dlst-paper", regressor__alpha=0.1).regressor.alpha == 0.1
    model = make("dlst", decoder=MLkNNDecoder(), decoder__n_neighbors=3)
    assert model.decoder.n_neighbors == 3


def test_case_and_underscores_are_forgiven():
    assert method_info(" DLST_Paper ").name == "dlst-paper"


def test_an_unknown_method_gets_the_nearest_names():
    with pytest.raises(UnknownNameError, match=r"got 'mlkn'\. Did you mean mlknn"):
        make("mlkn")
    with pytest.raises(UnknownNameError, match=r"got 'zzzzzz'\. Take one of dlst, dlst-paper"):
        make("zzzzzz")


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_a_constructor_that_refuses_a_parameter_names_its_own_class(method):
    kind = type(method.make())
    with pytest.raises(TypeError, match=rf"^{kind.__name__}\.__init__\(\) got .* 'nothing'"):
        kind(nothing=3)


def test_an_unknown_parameter_gets_the_nearest_names():
    with pytest.raises(ValueError, match=r"no parameter 'n_neighbours'\. Did you mean n_n"):
        make("mlknn", n_neighbours=3)
    with pytest.raises(ValueError, match=r"no parameter 'qqq'\. It has .*smoothing"):
        make("mlknn", qqq=3)
    with pytest.raises(ValueError, match=r"no parameter 'n_neighbors'\. .*mean decoder__n_neighb"):
        make("dlst-paper", n_neighbors=3)
    with pytest.raises(ValueError, match=r"no parameter 'n_neighbors'\. It has .*evidences"):
        make("dlst", n_neighbors=3)
