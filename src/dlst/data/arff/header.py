"""The head of an ARFF file: relation and attributes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from dlst._files import Block, PathLike
from dlst.data.arff.rows_kernel import NOMINAL, NUMERIC, TEXT
from dlst.errors import ReadError

_NUMERIC_WORDS = {"numeric", "real", "integer", "int", "double", "float"}
_TEXT_WORDS = {"string", "date"}
_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_NAME = re.compile(rf"\s*({_QUOTED}|[^\s'\"{{][^\s{{]*)\s*(.*)", re.DOTALL)
_CATEGORY = re.compile(rf"\s*({_QUOTED}|[^,'\"\s][^,]*|)\s*(,|$)", re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}


@dataclass(frozen=True)
class Attribute:
    """One column: its name, NUMERIC, NOMINAL or TEXT, and the categories of a nominal one."""

    name: str
    kind: int
    categories: tuple[str, ...] = ()


class Header(NamedTuple):
    """What stands before ``@data``."""

    relation: str
    attributes: tuple[Attribute, ...]
    encoding: str


def read_header(path: PathLike, blocks: Iterator[Block]) -> tuple[Header, Block]:
    """Read up to ``@data`` and return the header and the block in which the data start."""
    reader = _HeaderReader(path)
    for text, line, position in blocks:
        first_line = line
        while position < len(text):
            end = text.find(b"\n", position)
            end = len(text) if end < 0 else end
            ended = reader.take(text[position:end], line)
            position, line = end + 1, line + 1
            if ended:
                return reader.header(), Block(text, first_line, position)
    raise ReadError(path, "expected @data after the attributes, got the end of the file.")


def unquote(token: str) -> str:
    r"""Take the quotes off a name and resolve its escapes.

    Examples
    --------
    >>> unquote(r"'Swainson\'s Thrush'")
    "Swainson's Thrush"
    """
    if len(token) >= 2 and token[0] == token[-1] and token[0] in "'\"":
        return unescape(token[1:-1])
    return token


def unescape(text: str) -> str:
    """Resolve backslash escapes."""
    if "\\" not in text:
        return text
    return _ESCAPE.sub(lambda match: _ESCAPED.get(match[1], match[1]), text)


def quote(name: str) -> str:
    r"""Quote a name where ARFF needs it.

    Examples
    --------
    >>> quote("word7"), quote("Swainson's Thrush")
    ('word7', "'Swainson\\'s Thrush'")
    """
    if name and not re.search(r"[\s'\"{},%\\]", name) and name != "?":
        return name
    escaped = name.replace("\\", "\\\\").replace("'", "\\'")
    for letter, character in _ESCAPED.items():
        escaped = escaped.replace(character, f"\\{letter}")
    return f"'{escaped}'"


def meka_relation(name: str, n_labels: int) -> str:
    """Return the quoted relation by which MEKA knows the first labels, or the last ones (< 0).

    Examples
    --------
    >>> meka_relation("a:b", -6)
    "'a_b: -C -6'"
    """
    # The options follow the first colon, so the name may hold none.
    return quote(f"{name.replace(':', '_')}: -C {n_labels}")


class _HeaderReader:
    """Takes the header line by line."""

    def __init__(self, path: PathLike):
        self._path = path
        self._line = 0
        self._relation: str | None = None
        self._attributes: list[Attribute] = []
        self._names: set[str] = set()
        self._encoding = "utf-8"
        # Thousands of attributes share a type such as {0,1}; each text is parsed once.
        self._types: dict[str, tuple[int, tuple[str, ...]]] = {}

    def header(self) -> Header:
        if not self._attributes:
            raise ReadError(self._path, "expected @attribute lines before @data, got none.")
        return Header(self._relation or "", tuple(self._attributes), self._encoding)

    def take(self, raw: bytes, number: int) -> bool:
        """Take one line; true when it is ``@data``."""
        self._line = number
        line = self._decode(raw).strip().removeprefix("\ufeff")
        if not line or line.startswith("%"):
            return False
        word = line.split(maxsplit=1)[0].lower()
        rest = line[len(word) :].strip()
        if word == "@relation":
            self._relation = unquote(rest)
        elif word == "@attribute":
            self._take_attribute(rest)
        elif word != "@data":
            raise self._error(
                f"expected @relation, @attribute, @data or a % comment, got {line[:40]!r}. "
                "Is this an ARFF file?"
            )
        return word == "@data"

    def _error(self, message: str) -> ReadError:
        return ReadError(self._path, message, self._line)

    def _decode(self, raw: bytes) -> str:
        try:
            return raw.decode(self._encoding)
        except UnicodeDecodeError:
            # Older files come from Weka on Windows; Latin-1 reads any byte.
            self._encoding = "latin-1"
            return raw.decode(self._encoding)

    def _take_attribute(self, text: str) -> None:
        match = _NAME.match(text)
        if match is None or not match[2]:
            raise self._error(f"expected '@attribute NAME TYPE', got {text[:40]!r}.")
        name = unquote(match[1])
        if name in self._names:
            raise self._error(f"attribute {name!r} is declared twice. Rename one.")
        kind_text = match[2].strip()
        if kind_text not in self._types:
            self._types[kind_text] = self._type_of(kind_text)
        self._names.add(name)
        self._attributes.append(Attribute(name, *self._types[kind_text]))

    def _type_of(self, text: str) -> tuple[int, tuple[str, ...]]:
        if text.startswith("{"):
            return NOMINAL, self._categories(text)
        word = text.split(maxsplit=1)[0].lower()
        if word in _NUMERIC_WORDS:
            return NUMERIC, ()
        if word in _TEXT_WORDS:
            return TEXT, ()
        raise self._error(
            "expected the type numeric, real, integer, string, date or {a,b,…}, "
            f"got {text[:40]!r}."
        )

    def _categories(self, text: str) -> tuple[str, ...]:
        body, close, after = text[1:].rpartition("}")
        if not close or (after.strip() and not after.strip().startswith("%")):
            raise self._error(f"expected '}}' after the categories {text[:40]!r}.")
        categories: list[str] = []
        position = 0
        while True:
            match = _CATEGORY.match(body, position)
            if match is None or not match[1]:
                raise self._error(f"expected categories between commas, got {text[:40]!r}.")
            categories.append(unquote(match[1].rstrip()))
            position = match.end()
            if not match[2]:
                break
        if len(set(categories)) < len(categories):
            raise self._error(f"a category is listed twice in {text[:40]!r}.")
        return tuple(categories)
