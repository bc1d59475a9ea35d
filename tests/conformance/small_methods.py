"""Methods of the registry as the conformance tests make them: seeded, ensembles of few members."""

from __future__ import annotations

from dlst.methods import make

# Three members meet the same inputs as ten, and are combined as ten are.
FEW_MEMBERS = {"ecc": {"n_chains": 3}, "rakel": {"n_partitions": 3}}


def made(name, **parameters):
    model = make(name, **{**FEW_MEMBERS.get(name, {}), **parameters})
    return model.set_params(random_state=0) if "random_state" in model.get_params() else model
