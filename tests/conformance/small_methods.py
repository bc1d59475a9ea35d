"""Methods of the registry as the conformance tests make them: seeded, and quick."""

from __future__ import annotations

from dlst.methods import make

# Three members meet the same inputs as ten, and are combined as ten are.
FEW_MEMBERS = {"ecc": {"n_chains": 3}, "rakel": {"n_partitions": 3}}

# What they else choose by cross-validation, in every fit.
GIVEN_PENALTY = {"dlst1": {"alpha": 0.5}, "dlst-paper": {"regressor__alpha": 0.5}}


def made(name, **parameters):
    model = make(name, **{**FEW_MEMBERS.get(name, {}), **parameters})
    return model.set_params(random_state=0) if "random_state" in model.get_params() else model


def quickly_made(name, **parameters):
    """Make a method for tests that ask for no choice of its own."""
    return made(name, **{**GIVEN_PENALTY.get(name, {}), **parameters})
