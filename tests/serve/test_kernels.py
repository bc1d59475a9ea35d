"""What is compiled ahead, in a container's image."""

from __future__ import annotations

import pytest

from dlst.serve.kernels import small_models
from dlst.serve.models import subject_of


@pytest.mark.needs_compilation
def test_models_of_every_kind_answer_and_explain() -> None:
    subjects = [subject_of(model) for model in small_models()]
    assert [type(subject).__name__ for subject in subjects] == [
        "TableModel",
        "TableModel",
        "FeatureModel",
    ]
    for subject in subjects:
        subject.warm_up()
        assert subject.explains
