"""What parameters may be, and what is said of one that may not."""

import inspect
from dataclasses import KW_ONLY

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone

from dlst._parameters import (
    BOOLEAN,
    NONE,
    SHARE,
    check_parameters,
    integer,
    number,
    one_of,
    parameter,
    with_parameters,
)


@pytest.mark.parametrize("value", [True, None, "1", np.nan, np.inf, 0, 1.5])
def test_what_is_no_number_within_bounds_is_refused(value):
    with pytest.raises(ValueError, match="share must be a number above 0 and of at most 1; got"):
        number(above=0, at_most=1).check("share", value)


@pytest.mark.parametrize("value", [1, 0.5, np.float32(0.5), np.int64(1)])
def test_numbers_of_every_kind_pass(value):
    number(above=0, at_most=1).check("share", value)


def test_alternatives_are_joined_in_what_is_said():
    either = integer(at_least=1) | SHARE | one_of("auto") | NONE
    for allowed in (1, np.int64(3), 0.5, "auto", None):
        either.check("size", allowed)
    for wrong in (0, 1.5, "half", True, np.nan):
        with pytest.raises(ValueError, match=r"^size must be an integer .* or 'auto' or None; got"):
            either.check("size", wrong)


def test_booleans_are_no_numbers_and_numbers_no_booleans():
    assert BOOLEAN.allows(np.True_)
    assert not BOOLEAN.allows(1)
    assert not integer(at_least=0).allows(True)
    assert not number(at_least=0).allows(True)


def test_the_first_wrong_parameter_is_named():
    class Owner:
        _constraints = {"size": integer(at_least=1), "kind": one_of("round", "square")}  # noqa: RUF012
        size, kind = 1, "flat"

    with pytest.raises(ValueError, match=r"^kind must be one of round, square; got 'flat'"):
        check_parameters(Owner())


@with_parameters
class Base(BaseEstimator):
    first: int = parameter(default=1, must_be=integer(at_least=1))
    _: KW_ONLY
    kind: str = parameter(default="round", must_be=one_of("round", "square"))


@with_parameters
class Derived(Base):
    first: int = parameter(default=2, must_be=integer(at_least=2))
    second: object = None
    _: KW_ONLY
    more: float = 0.5


def test_attributes_are_the_parameters_that_scikit_learn_sees():
    parameters = inspect.signature(Derived).parameters
    positional = inspect.Parameter.POSITIONAL_OR_KEYWORD
    assert [name for name in parameters if parameters[name].kind == positional] == [
        "first",
        "second",
    ]
    assert Derived().get_params() == {"first": 2, "kind": "round", "more": 0.5, "second": None}
    model = Derived(3, second="x", kind="square", more=1.0)
    assert clone(model).get_params() == model.get_params()
    assert repr(model) == "Derived(first=3, kind='square', more=1.0, second='x')"


def test_what_a_class_derives_from_is_checked_too_and_may_be_stated_anew():
    check_parameters(Base(1))
    with pytest.raises(ValueError, match="first must be an integer of at least 2; got 1"):
        check_parameters(Derived(1))
    with pytest.raises(ValueError, match="kind must be one of round, square; got 'flat'"):
        check_parameters(Derived(kind="flat"))
