"""Every method passes scikit-learn's own checks, but for what is listed with its reason."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import has_fit_parameter
from small_methods import made

from dlst.methods import LabelSpaceClassifier, available


def methods():
    yield from map(made, available())
    yield LabelSpaceClassifier(random_state=0)


DECIDED_BY_MORE = {
    "check_classifier_multioutput": "asks that labels with a score above 0 are decided for: "
    "rankings are calibrated, decisions follow a learnt rule or the margins"
}


WHOLE_ROWS = dict.fromkeys(
    (
        "check_sample_weight_equivalence_on_dense_data",
        "check_sample_weight_equivalence_on_sparse_data",
    ),
    "what is chosen and calibrated by leaving rows out leaves a row out whole, not one of its "
    "copies: tests/conformance/test_weights.py",
)


def expected_failures(estimator):
    decided = DECIDED_BY_MORE if type(estimator).__name__ in ("BR", "LinearDLST") else {}
    return decided | (WHOLE_ROWS if has_fit_parameter(estimator, "sample_weight") else {})


# Some checks give a single class or a constant label on purpose, and our warning says so.
@pytest.mark.filterwarnings("ignore:.*have only one value in the training rows:UserWarning")
@parametrize_with_checks(list(methods()), expected_failed_checks=expected_failures)
def test_scikit_learn_check(estimator, check):
    check(estimator)
