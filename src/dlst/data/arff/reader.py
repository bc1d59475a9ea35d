"""Mulan and MEKA ARFF, dense and sparse.

The parser is our own: none of the kept packages reads sparse multi-label ARFF fast
(``benchmarks/readers.py`` shows them side by side).
"""

from __future__ import annotations

from itertools import chain
from pathlib import Path

from dlst._files import PathLike, text_blocks
from dlst.data._origin import name_of, origin_of
from dlst.data.arff.columns import ColumnPlan
from dlst.data.arff.header import read_header
from dlst.data.arff.label_choice import choose_labels, meka_label_count, meka_split
from dlst.data.arff.labels_xml import find_labels_xml
from dlst.data.arff.rows import read_rows
from dlst.data.column_choice import LabelChoice, Nominal
from dlst.data.dataset import Dataset
from dlst.errors import ReadError


def read_arff(
    path: PathLike,
    *,
    xml: PathLike | None = None,
    labels: LabelChoice = None,
    nominal: Nominal = "auto",
) -> Dataset:
    """Read a multi-label ARFF file.

    Which attributes are labels is said by, in this order: ``labels``; the Mulan XML file ``xml``,
    or one found beside the ARFF by its name; MEKA's option ``-C`` after the first colon of the
    relation; the only XML file of the folder. Labels keep the order of the attributes, whatever
    the order in the XML.

    Parameters
    ----------
    path : path-like
        ``.arff`` or ``.arff.gz``.
    xml : path-like, optional
        Mulan's label file.
    labels : list of str, str or int, optional
        Names of the label attributes, as a list or ``"a,b,c"``; a pattern such as ``"Label*"``; a
        count as in MEKA, positive for the first attributes, negative for the last.
    nominal : {"auto", "one-hot"} or list of str
        What becomes of nominal features. ``"one-hot"``: a column ``name=category`` for each
        category; an attribute with two stays one 0/1 column. ``"auto"``: so too, but categories
        that are all numbers keep them as values (``{0,1}``, ``{1,2,3,4,5}``). Either way an
        identifier is left out: an attribute with more than 100 categories, or one (of 20 rows at
        least) whose every category stands in exactly one row. A list names attributes that are
        one-hot whatever they look like.

    Returns
    -------
    Dataset
        Sparse rows give CSR features. ``?`` is NaN. Text, dates and identifiers are left out, with
        a note in the provenance. MEKA's ``-split-number`` gives ``split``.

    Raises
    ------
    ReadError
        With file and line.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from dlst.data import load_multidigits, write_arff
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "few.arff"
    >>> write_arff(load_multidigits().subset(slice(0, 3)), path)
    >>> read_arff(path).Y.shape
    (3, 10)
    """
    path = Path(path)
    blocks = text_blocks(path)
    header, rest = read_header(path, blocks)
    chosen, parents, how = choose_labels(path, header, xml, labels)
    plan = ColumnPlan.of(path, header, chosen, nominal)
    X, Y = read_rows(path, chain([rest], blocks), plan)
    features = plan.expand(X)
    return Dataset(
        features.X,
        Y,
        features.names,
        [header.attributes[a].name for a in chosen],
        name=name_of(path),
        split=meka_split(header.relation, Y.shape[0]),
        provenance=origin_of(path, how, *features.notes),
        label_parents=parents,
    )


def read_mulan(
    path: PathLike,
    xml: PathLike | None = None,
    *,
    nominal: Nominal = "auto",
) -> Dataset:
    """Read a Mulan ARFF with its XML label file; see :func:`read_arff`.

    Parameters
    ----------
    path, xml, nominal
        As in :func:`read_arff`.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from dlst.data import load_multidigits, write_arff
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "few.arff"
    >>> write_arff(load_multidigits().subset(slice(0, 3)), path)
    >>> read_mulan(path).Y.shape
    (3, 10)
    """
    xml = find_labels_xml(path, any_name=True) if xml is None else xml
    if xml is None:
        raise ReadError(
            path,
            "expected Mulan's label file beside it, got none. "
            f"Put {name_of(path)}.xml there, or name it with xml=.",
        )
    return read_arff(path, xml=xml, nominal=nominal)


def read_meka(path: PathLike, *, nominal: Nominal = "auto") -> Dataset:
    r"""Read a MEKA ARFF, whose relation says ``-C K``; see :func:`read_arff`.

    Parameters
    ----------
    path, nominal
        As in :func:`read_arff`.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "few.arff"
    >>> attributes = "@attribute sky {0,1}\n@attribute blue numeric"
    >>> _ = path.write_text(f"@relation 'few: -C 1'\n{attributes}\n@data\n1,0.9\n0,0.2\n")
    >>> read_meka(path).label_names
    ('sky',)
    """
    header, _ = read_header(path, text_blocks(path))
    count = meka_label_count(header.relation)
    if count is None:
        raise ReadError(path, "expected ': -C K' for K labels in @relation, got none.", 1)
    return read_arff(path, labels=count, nominal=nominal)
