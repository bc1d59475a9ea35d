"""Every method passes scikit-learn's own checks, with no expected failures."""

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


# Some checks give a single class or a constant label on purpose, and our warning says so.
@pytest.mark.filterwarnings("ignore:.*have only one value in the training rows:UserWarning")
@parametrize_with_checks(list(methods()))
def test_scikit_learn_check(estimator, check):
    check(estimator)
