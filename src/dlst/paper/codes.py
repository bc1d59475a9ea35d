"""figure-codes: a label matrix and its codes, their density, and what codes keep of distances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dlst.paper.code_blocks import (
    at_shown,
    code_picture,
    density_table,
    distance_chart,
    divergence_chart,
    label_picture,
    length_table,
    number,
    shown_step,
)
from dlst.paper.item import Claim, Item, Judged, judged_by_share
from dlst.reports import Run
from dlst.reports.document import Block, Section, Text
from dlst.reports.run import Result
from dlst.reports.words import listed, percent

ROUNDING = 1e-6
"""A divergence or a difference of distances up to this is 0 but for rounding."""

NOTABLE = 0.05
"""A share of entries that would be worth a word."""


def _settings(_quick: bool) -> Mapping[str, Any]:
    return {"probes": [{"probe": "codes", "data": name} for name in ("multidigits", "yeast")]}


def _sections(run: Run) -> list[Section]:
    return [
        Section(name, f"{result['data']}: labels and codes", _blocks(result, name))
        for name, result in run.probes("codes").items()
    ]


def _verdict(run: Run) -> str:
    results = list(run.probes("codes").values())
    rotated = [result["data"] for result in results if is_rotation(result["steps"][-1])]
    where = listed(rotated or ["no data set"])
    labels = _span([result["density"]["labels"] for result in results])
    shown = [shown_step(result) for result in results]
    never, aligned = (
        _span([step[which]["density"] for step in shown]) for which in ("principal", "aligned")
    )
    return (
        f"Codes as long as the rank are the labels rotated on {where}, with nothing filled in; "
        f"of the entries {labels} differ from 0 in labels, {never} in codes never aligned and "
        f"{aligned} in aligned ones. In codes of half that length alignment lowers KL on "
        f"{_lowered(shown, 'kl')} of {len(results)} data sets and raises the rank correlation of "
        f"code distances with label distances on {_raised(shown, 'spearman')}."
    )


def _blocks(result: Result, name: str) -> list[Block]:
    r = result["shown_components"]
    return [
        Text(
            f"The {result['n_train']:,} training rows ({result['split']} split) have "
            f"{result['n_label_sets']:,} distinct sets of {result['n_labels']} labels; the labels, "
            f"centred, have rank {result['rank']}. Shown are {len(result['rows'])} rows at even "
            "distances in the training set, like beside like: their labels, their codes after KL "
            "alignment, and their principal (PLST) codes of the same length, which were never "
            "aligned."
        ),
        label_picture(result, name),
        code_picture(result, name, "aligned", f"Codes after KL alignment, r = {r}"),
        code_picture(result, name, "principal", f"PLST codes, never aligned, r = {r}"),
        density_table(result, name),
        Text(_density_words(result)),
        divergence_chart(result, name),
        distance_chart(result, name),
        length_table(result, name),
        Text(_full_length_words(result)),
        Text(_alignment_words(result)),
    ]


def _density_words(result: Result) -> str:
    labels, centred = result["density"]["labels"], result["density"]["centred"]
    principal, aligned = (at_shown(result, each, "density") for each in ("principal", "aligned"))
    figures = (
        f"Of the aligned codes' entries {percent(aligned)} differ from 0, of the labels "
        f"{percent(labels)}; subtracting each label's mean alone gives {percent(centred)}, and "
        f"rotating without alignment gives {percent(principal)}."
    )
    if aligned - max(centred, principal) > NOTABLE:
        return figures
    return f"{figures} **The density comes from centring and rotation**, not from alignment."


def _full_length_words(result: Result) -> str:
    full = result["steps"][-1]
    aligned = full["aligned"]
    figures = (
        f"At r = {full['n_components']}, the rank of the labels, KL is {number(aligned['kl'])}, "
        "and squared code distances differ from label distances by at most "
        f"{number(aligned['largest_gap'])}"
    )
    if not is_rotation(full):
        return f"{figures}."
    return f"{figures}: the code is the labels rotated, and nothing has been filled in."


def _alignment_words(result: Result) -> str:
    shorter = result["steps"][:-1]
    if not shorter:
        return "The labels have rank 1, so no code is shorter."
    return (
        f"Of the {len(shorter)} shorter lengths, alignment lowers KL at {_lowered(shorter, 'kl')}, "
        "raises the rank correlation of code distances with label distances at "
        f"{_raised(shorter, 'spearman')}, and lowers what an affine read-out gives back of the "
        f"labels at {_lowered(shorter, 'variance_read')}. KL weighs near pairs most, so it can "
        "fall while far pairs lose their order; and no code of the same length can give back more "
        "than PLST's."
    )


def _span(shares: Sequence[float]) -> str:
    """Show the lowest and the highest share."""
    low, high = percent(min(shares)), percent(max(shares))
    return low if low == high else f"{low} to {high}"


def _lowered(steps: Sequence[Mapping[str, Any]], key: str) -> int:
    return sum(_falls(step, key) > 0 for step in steps)


def _raised(steps: Sequence[Mapping[str, Any]], key: str) -> int:
    return sum(_falls(step, key) < 0 for step in steps)


def _falls(step: Mapping[str, Any], key: str) -> float:
    """By how much alignment lowers a measure; 0 where it has no value."""
    before, after = step["principal"][key], step["aligned"][key]
    return 0.0 if before is None or after is None else before - after


def is_rotation(step: Mapping[str, Any]) -> bool:
    """Return whether codes are the labels turned: no divergence, and all distances kept."""
    aligned = step["aligned"]
    return bool(aligned["kl"] <= ROUNDING and aligned["largest_gap"] <= ROUNDING)


def _denser_and_fuller(run: Run) -> Judged:
    """Judge both halves: that codes are denser, and that a full one is more than a rotation."""
    results = run.probes("codes").values()
    denser = all(
        at_shown(each, "aligned", "density") > each["density"]["labels"] for each in results
    )
    fuller = not any(is_rotation(each["steps"][-1]) for each in results)
    halves = f"Denser: {'yes' if denser else 'no'}. Filled in: {'yes' if fuller else 'no'}."
    return judged_by_share(denser + fuller, 2), f"{halves} {_verdict(run)}"


CODES = Item(
    name="figure-codes",
    title="Labels and their codes",
    where="Figure 1",
    make_settings=_settings,
    make_sections=_sections,
    make_verdict=_verdict,
    claims=(
        Claim(
            14,
            "The learnt code is denser than the labels and fills in what they lack.",
            _denser_and_fuller,
        ),
    ),
    summary=r".*(density|divergence|kl).*",
    probe="codes",
)
