"""Text as LaTeX, whatever characters it holds."""

# The look-alikes are what this module is about.
# ruff: noqa: RUF001

from __future__ import annotations

import re
import unicodedata

from dlst.reports._writer import marked_up

_MATH_NAMES = (
    "alpha beta gamma delta varepsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau "
    "upsilon varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega mu "
    "times div pm cdot leq geq neq approx infty uparrow downarrow rightarrow leftarrow in sum "
    "surd Vert ell"
)
_MATHS = zip(
    "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩµ×÷±·≤≥≠≈∞↑↓→←∈∑√‖ℓ", _MATH_NAMES.split(), strict=True
)
_CHARACTERS = {
    **{character: f"\\{character}" for character in "&%$#_{}"},
    **{character: rf"\ensuremath{{\{name}}}" for character, name in _MATHS},
    "−": r"\ensuremath{-}",
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    '"': r"\textquotedbl{}",
    # After a line's end LaTeX would take a bracket or a star for an option of it.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "—": r"\textemdash{}",
    "–": r"\textendash{}",
    "…": r"\ldots{}",
    "°": r"\textdegree{}",
    "‘": r"\textquoteleft{}",
    "’": r"\textquoteright{}",
    "“": r"\textquotedblleft{}",
    "”": r"\textquotedblright{}",
    "\u00a0": "~",
    "\u202f": r"\,",
}
_SCRIPTS = re.compile("([⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]+|[₀₁₂₃₄₅₆₇₈₉₊₋]+)")
_LONG_WORD = re.compile(r"(\S{31,})")
_RAISED = frozenset("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")
# Letters of the font encoding T1 that inputenc knows: Latin-1, and these of Latin Extended-A.
_LETTERS = frozenset("ĂăĄąĆćČčĎďĐđĘęĚěĞğĹĺĽľŁłŃńŇňŐőŒœŔŕŘřŚśŞşŠšŢţŤťŮůŰűŸŹźŻżŽž")


def escaped(text: str) -> str:
    r"""Return LaTeX that shows a text.

    Characters that LaTeX's standard fonts lack are shown by their code point, control characters
    not at all.

    Examples
    --------
    >>> print(escaped("DLST₁ & λ ≤ 10⁻³: 5 %"))
    DLST\textsubscript{1} \& \ensuremath{\lambda} \ensuremath{\leq} 10\textsuperscript{-3}: 5 \%
    """
    words = re.sub(r"\s+", _space, unicodedata.normalize("NFC", text))
    shown = "".join(_piece(piece) for piece in _SCRIPTS.split(words))
    # Two hyphens would become a dash, and an option of a command would no longer be one.
    return re.sub("-(?=-)", "-{}", shown)


def breakable(text: str) -> str:
    r"""Return LaTeX that shows a text, whose long words, such as hashes, may be broken.

    Examples
    --------
    >>> print(breakable("of 7bc88fdc761cbdcc904e1f739cbc2c8eb9411dff"))
    of 7bc88fdc761cbdcc\allowbreak{}904e1f739cbc2c8e\allowbreak{}b9411dff
    """
    pieces = _LONG_WORD.split(text)
    pieces[::2] = map(escaped, pieces[::2])
    pieces[1::2] = map(_broken, pieces[1::2])
    return "".join(pieces)


def latex_of(text: str) -> str:
    r"""Return LaTeX for a paragraph with code between backticks and bold between asterisks.

    Examples
    --------
    >>> print(latex_of("Run `dlst demo --out a_b`: **50 %**."))
    Run \texttt{dlst demo -{}-out a\_b}: \textbf{50 \%}.
    """
    return marked_up(text, escaped, lambda code: rf"\texttt{{{escaped(code)}}}", (r"\textbf{", "}"))


def _broken(word: str) -> str:
    return r"\allowbreak{}".join(map(escaped, re.findall(".{1,16}", word)))


def _space(found: re.Match[str]) -> str:
    # An empty line would end a paragraph, which captions and cells may not hold.
    return found.group() if found.group() in ("\u00a0", "\u202f") else " "


def _piece(piece: str) -> str:
    if not _SCRIPTS.fullmatch(piece):
        return "".join(map(_character, piece))
    command = "textsuperscript" if piece[0] in _RAISED else "textsubscript"
    digits = unicodedata.normalize("NFKC", piece).replace("−", "-")
    return rf"\{command}{{{digits}}}"


def _character(character: str) -> str:
    if character in _CHARACTERS:
        return _CHARACTERS[character]
    if unicodedata.category(character).startswith("C"):
        return ""
    is_latin = "À" <= character <= "ÿ" or character in _LETTERS
    if character.isascii() or is_latin:
        return character
    return rf"\texttt{{U+{ord(character):04X}}}"
