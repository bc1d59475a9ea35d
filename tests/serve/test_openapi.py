"""The description is true: what it allows is answered, what it forbids is refused."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.config import SchemathesisConfig

from dlst import DLST, Tagger
from dlst.serve import Limits, make_app
from dlst.serve.models import subject_of

# Too many rows break the description's own bound, and 413 says so; the tool expects 422 alone.
REFUSALS = {"negative_data_rejection": {"expected-statuses": ["400", "413", "415", "422"]}}


@pytest.fixture(scope="session")
def tables(tickets: pd.DataFrame) -> Any:
    """Describe texts, categories and numbers; which text is a date no schema can tell."""
    columns = tickets.drop(columns="opened")
    return described(Tagger(random_state=0, columns={"id": "ticket"}).fit(columns, "tags"))


@pytest.fixture(scope="session")
def numbers(features: DLST) -> Any:
    return described(features)


def described(model: Any) -> Any:
    app = make_app(subject_of(model), limits=Limits(rows=50, explained_rows=50))
    config = SchemathesisConfig.from_dict({"checks": REFUSALS})
    return schemathesis.openapi.from_asgi("/openapi.json", app, config=config)


@pytest.mark.parametrize("description", ["tables", "numbers"])
@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_the_server_does_as_it_says(
    description: str, mode: GenerationMode, request: pytest.FixtureRequest
) -> None:
    operations = [found.ok() for found in request.getfixturevalue(description).get_all_operations()]
    assert {operation.path for operation in operations} == {
        "/health",
        "/metrics",
        "/model",
        "/predict",
    }
    for operation in operations:
        if mode is GenerationMode.NEGATIVE and operation.path != "/predict":
            continue  # nothing can be wrong about a request without parameters

        @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
        @given(case=operation.as_strategy(generation_mode=mode))
        def ask(case: Any) -> None:
            case.call_and_validate()

        ask()
