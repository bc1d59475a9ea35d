"""What parameters may be, and what is said of one that may not."""

import numpy as np
import pytest

from dlst._parameters import BOOLEAN, NONE, SHARE, check_parameters, integer, number, one_of


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
