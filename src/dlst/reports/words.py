"""Words that builders of tables and figures share."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

NOTHING = "No cell of this run has ended well, so there is nothing to show yet."
SIMULATED = "simulated features"


def data_title(name: str, simulated: bool) -> str:
    """Name a data set, with a warning where its features were drawn.

    Examples
    --------
    >>> data_title("voc2007", True)
    'voc2007 (simulated features)'
    """
    return f"{name} ({SIMULATED})" if simulated else name


def anchor(*words: object) -> str:
    """Join words into a name of lower-case letters, digits and hyphens.

    Examples
    --------
    >>> anchor("My data.arff", "macro_f1", "DLST₁")
    'my-data-arff-macro-f1-dlst1'
    """
    plain = unicodedata.normalize("NFKC", "-".join(map(str, words))).lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")


def percent(share: float, decimals: int = 0) -> str:
    """Write a share in percent.

    Examples
    --------
    >>> percent(0.9149, 1)
    '91.5 %'
    """
    return f"{100 * share:.{decimals}f} %"


def signed_percent(gain: float) -> str:
    """Write a relative gain with its sign.

    Examples
    --------
    >>> signed_percent(0.032)
    '+3.2 %'
    """
    return f"{100 * gain:+.1f} %"


def listed(words: Iterable[str]) -> str:
    """Join words as a sentence does; "none" where there are none.

    Examples
    --------
    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    *first, last = list(words) or ["none"]
    return f"{', '.join(first)} and {last}" if first else last


def setting_words(protocol: Mapping[str, Any]) -> str:
    """Name a protocol; how features are made and what is recorded is said elsewhere."""
    words = []
    if "fraction" in protocol:
        words.append(f"{_share(protocol['fraction'])} of each class to train on")
    if "missing" in protocol:
        words.append(f"{_share(protocol['missing'])} of the training labels dropped")
    if "rows" in protocol:
        words.append("at most {:,} training and {:,} test rows".format(*protocol["rows"]))
    if "test_size" in protocol:
        words.append(f"{_share(protocol['test_size'])} of the rows to test on")
    if "folds" in protocol:
        words.append(f"{protocol['folds']} folds")
    if protocol.get("transductive"):
        words.append("features of the test rows known")
    words += [f"{key} {value}" for key, value in sorted(protocol.get("options", {}).items())]
    return ", ".join(words)


def _share(share: float) -> str:
    return f"{100 * share:.3g} %"
