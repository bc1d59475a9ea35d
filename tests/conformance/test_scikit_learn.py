"""Every method passes scikit-learn's own checks, but for what is listed with its reason."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from dlst.methods import LabelSpaceClassifier, available, make


def methods():
    for name in available():
        model = make(name)
        if "random_state" in model.get_params():
            model.set_params(random_state=0)
        yield model
    yield LabelSpaceClassifier(random_state=0)


DECIDED_BY_MORE = {
    "check_classifier_multioutput": "asks that labels with a score above 0 are decided for: "
    "rankings are calibrated, decisions follow a learnt rule or the margins"
}


def expected_failures(estimator):
    return DECIDED_BY_MORE if type(estimator).__name__ in ("BR", "LinearDLST") else {}


# Some checks give a single class or a constant label on purpose, and our warning says so.
@pytest.mark.filterwarnings("ignore:.*have only one value in the training rows:UserWarning")
@parametrize_with_checks(list(methods()), expected_failed_checks=expected_failures)
def test_scikit_learn_check(estimator, check):
    check(estimator)
