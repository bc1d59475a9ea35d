"""ARFF: every corner of the format, real files against a slow obvious twin, and round trips."""

from __future__ import annotations

import gzip
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from dlst.data import Dataset
from dlst.data.arff import read_arff, read_meka, read_mulan, write_arff
from dlst.errors import ReadError

XML = '<labels xmlns="http://mulan.sourceforge.net/labels">{}</labels>'


def xml(*names):
    return XML.format("".join(f'<label name="{name}"></label>' for name in names))


@pytest.fixture
def arff(tmp_path):
    def make(text, labels=None, name="f.arff"):
        file = tmp_path / name
        data = text if isinstance(text, bytes) else text.encode()
        file.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        if labels is not None:
            (tmp_path / "f.xml").write_text(labels, encoding="utf-8")
        return file

    return make


DENSE = """% a comment
@RELATION 'some data'

@Attribute height NUMERIC
@attribute 'eye colour' {blue, 'dark brown', "it's \\"odd\\""}
@attribute old {0,1}
@attribute tall {0,1}
@DATA
% another
1.5, blue ,0,1

?,'dark brown',1,?
 2e1 , "it's \\"odd\\"" , 1 , 0
"""


def test_dense_rows_with_quotes_escapes_comments_and_missing_values(arff):
    data = read_arff(arff(DENSE, xml("tall", "old")))
    assert data.feature_names == (
        "height",
        "eye colour=blue",
        "eye colour=dark brown",
        'eye colour=it\'s "odd"',
    )
    assert data.label_names == ("old", "tall"), "the order of the ARFF, not of the XML"
    np.testing.assert_array_equal(data.X, [[1.5, 1, 0, 0], [np.nan, 0, 1, 0], [20.0, 0, 0, 1]])
    np.testing.assert_array_equal(data.Y.toarray(), [[0, 1], [1, np.nan], [1, 0]])
    assert isinstance(data.X, np.ndarray)
    assert data.name == "f"


def test_crlf_and_gzip_read_the_same(arff):
    plain = read_arff(arff(DENSE, xml("old", "tall")))
    for other in (
        arff(DENSE.replace("\n", "\r\n"), name="f-train.arff"),
        arff(DENSE, name="f-test.arff.gz"),
        arff("\ufeff" + DENSE, name="f1.arff"),
    ):
        again = read_arff(other)
        np.testing.assert_array_equal(again.X, plain.X)
        np.testing.assert_array_equal(again.Y.toarray(), plain.Y.toarray())
        assert again.feature_names == plain.feature_names


NUMBERS = """@relation r
@attribute place {10,2,7}
@attribute flag {1,0}
@attribute a {0,1}
@data
7,0,1
10,1,0
"""


def test_numeric_categories_keep_their_numbers_unless_told_otherwise(arff):
    file = arff(NUMBERS, xml("a"))
    np.testing.assert_array_equal(read_arff(file).X, [[7, 0], [10, 1]])
    one_hot = read_arff(file, nominal="one-hot")
    assert one_hot.feature_names == ("place=10", "place=2", "place=7", "flag")
    np.testing.assert_array_equal(one_hot.X, [[0, 0, 1, 0], [1, 0, 0, 1]])
    assert read_arff(file, nominal=["place"]).feature_names == one_hot.feature_names
    with pytest.raises(ValueError, match="nominal must be 'auto', 'one-hot' or a list"):
        read_arff(file, nominal="codes")
    with pytest.raises(ReadError, match="expected a column 'plaice', as nominal= names it"):
        read_arff(file, nominal=["plaice"])


def test_blanks_separate_cells_too(arff):
    data = read_arff(
        arff("@relation r\n@attribute x real\n@attribute a {0,1}\n@data\n1\t1\n2 0\n"), labels=-1
    )
    np.testing.assert_array_equal(data.X, [[1], [2]])
    np.testing.assert_array_equal(data.Y.toarray(), [[1], [0]])


SPARSE = """@relation r
@attribute w0 numeric
@attribute c {red,green,blue}
@attribute w2 integer
@attribute a {0,1}
@attribute b {0,1}
@data
{0 2.5, 3 1}
{}
{1 green,2 -1,4 1}
{ 0 0 , 1 'blue' , 4 ? }
"""


def test_sparse_rows_stay_sparse_and_a_left_out_category_is_the_first(arff):
    data = read_arff(arff(SPARSE, xml("a", "b")))
    assert sp.issparse(data.X)
    assert data.feature_names == ("w0", "c=red", "c=green", "c=blue", "w2")
    np.testing.assert_array_equal(
        data.X.toarray(),
        [[2.5, 1, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, -1], [0, 0, 0, 1, 0]],
    )
    np.testing.assert_array_equal(data.Y.toarray(), [[1, 0], [0, 0], [0, 1], [0, np.nan]])


def test_a_label_declared_one_first_is_present_where_a_sparse_row_leaves_it_out(arff):
    text = "@relation r\n@attribute x real\n@attribute a {1,0}\n@data\n{0 3}\n{1 0}\n{1 1}\n{1 ?}\n"
    data = read_arff(arff(text, xml("a")))
    np.testing.assert_array_equal(data.Y.toarray(), [[1], [0], [1], [np.nan]])
    np.testing.assert_array_equal(data.X.toarray(), [[3], [0], [0], [0]])


def test_numeric_labels_and_truth_words(arff):
    text = (
        "@relation r\n@attribute x real\n@attribute a numeric\n@attribute b {False,True}\n@data\n"
        "1,1,True\n2,0.0,False\n3,?,?\n"
    )
    data = read_arff(arff(text, xml("a", "b")))
    np.testing.assert_array_equal(data.Y.toarray(), [[1, 1], [0, 0], [np.nan, np.nan]])


def test_text_attributes_are_left_out_with_a_note(arff):
    text = (
        "@relation r\n@attribute id string\n@attribute x real\n@attribute d date 'yyyy'\n"
        "@attribute a {0,1}\n@data\n'row, one',1,'2001',1\n"
    )
    data = read_arff(arff(text, xml("a")))
    assert data.feature_names == ("x",)
    assert "text attributes left out: id, d" in data.provenance.notes


def with_identifier(n_declared, rows, kind="p"):
    categories = ",".join(f"{kind}{i}" for i in range(n_declared))
    body = "\n".join(f"{kind}{code},{code},1" for code in rows)
    return (
        f"@relation r\n@attribute protein {{{categories}}}\n@attribute x real\n"
        f"@attribute a {{0,1}}\n@data\n{body}\n"
    )


@pytest.mark.parametrize(
    ("n_declared", "rows"),
    [
        (662, range(463)),
        (662, range(2)),
        (662, [5, 5]),
        (20, range(20)),
        (20, [*range(10, 20), *range(10)]),
    ],
)
def test_an_identifier_is_left_out_with_a_note(arff, n_declared, rows):
    data = read_arff(arff(with_identifier(n_declared, rows)), labels=-1)
    assert data.feature_names == ("x",)
    assert "attributes that are identifiers left out: protein" in data.provenance.notes
    assert "one-hot" not in " ".join(data.provenance.notes)
    assert data.X[:, 0].tolist() == list(rows)


@pytest.mark.parametrize(
    ("n_declared", "rows"),
    [(19, range(19)), (20, [0, *range(19)]), (20, range(19)), (100, range(5))],
)
def test_categories_that_are_few_or_repeat_are_no_identifier(arff, n_declared, rows):
    data = read_arff(arff(with_identifier(n_declared, rows)), labels=-1)
    assert data.n_features == n_declared + 1


def test_an_identifier_that_the_user_names_is_one_hot(arff):
    file = arff(with_identifier(200, range(30)))
    assert read_arff(file, labels=-1, nominal="one-hot").n_features == 1
    assert read_arff(file, labels=-1, nominal=["protein"]).n_features == 201


def test_a_sparse_identifier_is_left_out_too(arff):
    rows = "\n".join(f"{{0 p{i}, 1 {i}}}" if i else "{2 1}" for i in range(30))
    text = with_identifier(30, []) + rows + "\n"
    data = read_arff(arff(text), labels=-1)
    assert data.feature_names == ("x",)
    assert data.X.toarray()[:, 0].tolist() == list(range(30))


TWO_NUMBERS = "@relation r\n@attribute x real\n@attribute y real\n@attribute a {0,1}\n@data\n"


def test_numbers_that_need_more_than_one_rounding_are_exact(arff, monkeypatch):
    monkeypatch.setattr("dlst.data.arff.rows._QUEUE_ENTRIES", 1)
    numbers = ["0.30000000000000004", "123456789012345678901", "1e-300", "nan", "-inf", "7"]
    rows = "\n".join(f"{a},{b},1" for a, b in zip(numbers, reversed(numbers), strict=True))
    data = read_arff(
        arff(TWO_NUMBERS + rows),
        labels=["a"],
    )
    np.testing.assert_array_equal(data.X[:, 0], [float(n) for n in numbers])
    np.testing.assert_array_equal(data.X[:, 1], [float(n) for n in reversed(numbers)])
    sparse = "\n".join(f"{{0 {n},2 1}}" for n in numbers)
    data = read_arff(
        arff(TWO_NUMBERS + sparse),
        labels=["a"],
    )
    np.testing.assert_array_equal(data.X.toarray()[:, 0], [float(n) for n in numbers])
    assert data.Y.sum() == len(numbers)


@pytest.mark.parametrize(
    ("relation", "labels"), [("'d: -C 2 -split-number 1'", ("p", "q")), ("'d: -C -2'", ("q", "r"))]
)
def test_meka_counts_labels_from_either_end(arff, relation, labels):
    file = arff(
        f"@relation {relation}\n@attribute p {{0,1}}\n@attribute q {{0,1}}\n@attribute r {{0,1}}\n"
        "@data\n1,0,1\n0,1,1\n"
    )
    data = read_meka(file)
    assert data.label_names == labels
    np.testing.assert_array_equal(read_arff(file).Y.toarray(), data.Y.toarray())
    if "split" in relation:
        assert data.split.train.tolist() == [0]
        assert data.split.test.tolist() == [1]
    else:
        assert data.split is None


@pytest.mark.parametrize(
    ("relation", "labels"),
    [
        ("'my-C2-data: -C -1'", ("c",)),
        ("'-C 2: -C -1'", ("c",)),
        ("'d: -Count 2 -C -1'", ("c",)),
        ("'d: x-C 2 -C -1 -I 0'", ("c",)),
    ],
)
def test_the_option_is_read_where_meka_puts_it(arff, relation, labels):
    head = "".join(f"@attribute {name} {{0,1}}\n" for name in "abc")
    assert read_meka(arff(f"@relation {relation}\n{head}@data\n1,0,1\n")).label_names == labels


@pytest.mark.parametrize("relation", ["'my-C2-data'", "'my -C 2 data'", "'d: -C2x'", "'d: a-C 2'"])
def test_what_only_looks_like_the_option_is_none(arff, relation):
    head = "".join(f"@attribute {name} {{0,1}}\n" for name in "abc")
    with pytest.raises(ReadError, match="for K labels"):
        read_meka(arff(f"@relation {relation}\n{head}@data\n1,0,1\n"))


@pytest.mark.parametrize("name", ["my-C2-data", "a: -C 2 b", "x:y", "it's 5 %", "-C 3"])
def test_a_written_file_names_its_labels_whatever_its_own_name(tmp_path, name):
    data = Dataset([[1.0, 2.0, 3.0]], [[1.0]], ["p", "q", "r"], ["a"], name=name)
    write_arff(data, tmp_path / "f.arff")
    (tmp_path / "f.xml").unlink()
    again = read_arff(tmp_path / "f.arff")
    assert (again.feature_names, again.label_names) == (("p", "q", "r"), ("a",))


def test_labels_are_chosen_as_in_tables(arff):
    head = "".join(f"@attribute {name} {{0,1}}\n" for name in ("x", "Label1", "Label2"))
    file = arff(f"@relation r\n{head}@data\n1,0,1\n")
    for labels in ("Label*", "Label1,Label2", ["Label2", "Label1"], -2):
        assert read_arff(file, labels=labels).label_names == ("Label1", "Label2")
    with pytest.raises(ReadError, match=r"expected columns like 'Tag\*', got the columns 'x'"):
        read_arff(file, labels="Tag*")
    with pytest.raises(ReadError, match="Did you mean 'Label1'"):
        read_arff(file, labels="Labell1")


def test_meka_without_a_count_says_so(arff):
    with pytest.raises(ReadError, match="expected ': -C K' for K labels"):
        read_meka(arff(DENSE))


def test_a_hierarchy_is_flattened_with_its_parents(arff):
    nested = XML.format(
        '<label name="b"><label name="c"/><label name="a"><label name="d"/></label></label>'
    )
    text = "@relation r\n@attribute x real\n" + "".join(
        f"@attribute {name} {{0,1}}\n" for name in "abcd"
    )
    data = read_arff(arff(text + "@data\n1,1,1,1,1\n", nested))
    assert data.label_names == ("a", "b", "c", "d")
    assert data.label_parents == (1, -1, 1, 0)


def test_the_xml_is_found_by_name_before_the_relation_is_believed(arff):
    text = "@relation 'r: -C 1'\n@attribute x {0,1}\n@attribute a {0,1}\n@data\n1,0\n"
    assert read_arff(arff(text, xml("a"), "f-train-sparse.arff")).label_names == ("a",)
    assert read_arff(arff(text, None, "other.arff")).label_names == ("x",)
    assert read_mulan(arff(text, None, "other.arff")).label_names == ("a",)


def test_labels_by_name_and_by_count(arff):
    file = arff(NUMBERS)
    assert read_arff(file, labels=["a", "flag"]).label_names == ("flag", "a")
    assert read_arff(file, labels="flag").label_names == ("flag",)
    assert read_arff(file, labels=-2).label_names == ("flag", "a")


def test_latin_1_headers_are_read(arff):
    text = "@relation r\n@attribute é real\n@attribute a {0,1}\n@attribute ö {ü,ä}\n@data\n1,1,ä\n"
    data = read_arff(arff(text.encode("latin-1")), labels=["a"])
    assert data.feature_names == ("é", "ö")
    np.testing.assert_array_equal(data.X, [[1, 1]])


def test_no_rows_is_no_error(arff):
    data = read_arff(arff(NUMBERS.split("@data")[0] + "@data\n% nothing\n"), labels=-1)
    assert data.X.shape == (0, 2)
    assert data.Y.shape == (0, 1)


HEAD = "@relation r\n@attribute x real\n@attribute c {u,v}\n@attribute a {0,1}\n@data\n"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (HEAD + "1,u,1\n1,u\n", 7, "expected 3 values, got 2"),
        (HEAD + "1,u,1,5\n", 6, "expected a comma or the end of the row, got '5'"),
        (HEAD + "1,w,1\n", 6, "expected one of the categories of 'c', got 'w'"),
        (HEAD + "1,'\\w',1\n", 6, "expected one of the categories of 'c'"),
        (HEAD + "one,u,1\n", 6, "expected a number for 'x', got 'one'"),
        (HEAD + "1,u,2\n", 6, "expected one of the categories of 'a', got '2'"),
        (HEAD + "1,,1\n", 6, r"expected a value for attribute 1 \('c'\), got nothing"),
        (HEAD + "1,u,\n", 6, r"expected a value for attribute 2 \('a'\), got nothing"),
        (HEAD + "1,'u,1\n", 6, "expected a closing quote"),
        (HEAD + "1,'u'v,1\n", 6, "expected a closing quote"),
        (HEAD + "1,u,1\n{0 1}\n", 7, "expected all rows dense or all sparse"),
        (HEAD + "{0 1}\n\n1,u,1\n", 8, "expected all rows dense or all sparse"),
        (HEAD + "{3 1}\n", 6, "expected an index from 0 to 2, got '3'"),
        (HEAD + "{-1 1}\n", 6, "expected an index from 0 to 2, got '-1'"),
        (HEAD + "{1 u,0 1}\n", 6, "expected ascending indices, got '0'"),
        (HEAD + "{0 1,0 1}\n", 6, "expected ascending indices"),
        (HEAD + "{0 1", 6, "expected '}' at the end of the row"),
        (HEAD + "{0 1}, {5}\n", 6, "instance weights are not read"),
        (HEAD + "{0}\n", 6, "expected a value for attribute 0"),
        (HEAD + "{0 x}\n", 6, "expected a number for 'x'"),
        (HEAD + "{0 1 2}\n", 6, "expected a comma or the end of the row"),
        (HEAD + "{1 'u}\n", 6, "expected a closing quote"),
        (HEAD.replace("{0,1}", "real") + "1,u,3\n", 6, "expected 0 or 1 for label 'a', got '3'"),
        (HEAD.replace("{0,1}", "real") + "1,u,1e-30\n", 6, "expected 0 or 1 for label 'a'"),
        ("hello\n", 1, "expected @relation, @attribute, @data or a % comment, got 'hello'"),
        ("@relation r\n@attribute x\n", 2, "expected '@attribute NAME TYPE'"),
        ("@relation r\n@attribute x colour\n", 2, "expected the type numeric"),
        ("@relation r\n@attribute x {a,b\n", 2, "expected '}' after the categories"),
        ("@relation r\n@attribute x {a,,b}\n", 2, "expected categories between commas"),
        ("@relation r\n@attribute x {a,a}\n", 2, "a category is listed twice"),
        ("@relation r\n@attribute x real\n@attribute x real\n", 3, "'x' is declared twice"),
        ("@relation r\n@attribute x real\n", None, "expected @data"),
        ("@relation r\n@data\n", None, "expected @attribute lines"),
    ],
)
def test_errors_name_file_line_and_remedy(arff, text, line, message):
    with pytest.raises(ReadError, match=message) as caught:
        read_arff(arff(text), labels=["a"])
    assert caught.value.line == line
    assert caught.value.path.endswith("f.arff")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "got no XML file beside it and no ': -C K' in @relation"),
        (
            {"labels": ["zz", "yy"]},
            "expected a label column 'zz', got none of that name",
        ),
        ({"labels": 4}, "labels must count 1 to 3 columns, .* got 4"),
        ({"labels": 0}, "got 0"),
        ({"labels": ["c"]}, r"expected label 'c' to be numeric or \{0,1\}, got the category 'u'"),
    ],
)
def test_labels_that_cannot_be_told(arff, options, message):
    with pytest.raises(ReadError, match=message):
        read_arff(arff(HEAD + "1,u,1\n"), **options)


def test_mulan_without_xml_names_the_missing_file(arff):
    with pytest.raises(ReadError, match=r"Put f\.xml there"):
        read_mulan(arff(HEAD))


@pytest.mark.parametrize("block_bytes", [64, 301, 5000])
def test_small_blocks_read_the_same(real_data, monkeypatch, block_bytes):
    for name in ("emotions/emotions-test.arff", "medical/medical-train.arff"):
        whole = read_arff(real_data / name)
        with monkeypatch.context() as patch:
            patch.setattr("dlst._files.text_blocks.__defaults__", (block_bytes,))
            parts = read_arff(real_data / name)
        assert (whole.X != parts.X).sum() == 0
        assert (whole.Y != parts.Y).sum() == 0


def slow_twin(file, labels):
    """Read a real file cell by cell, no thought given to speed."""
    names, rows = [], []
    lines = iter(file.read_text().splitlines())
    for line in lines:
        if line.lower().startswith("@attribute"):
            rest = line.split(maxsplit=1)[1]
            quoted = rest.startswith("'")
            names.append(
                rest[1:].replace("\\'", "\0").split("'")[0].replace("\0", "'")
                if quoted
                else rest.split()[0]
            )
        if line.lower().startswith("@data"):
            break
    for line in lines:
        if not line.strip() or line.startswith("%"):
            continue
        row = [0.0] * len(names)
        if line.startswith("{"):
            for cell in line.strip("{} \r\n").split(","):
                if cell.strip():
                    index, value = cell.split()
                    row[int(index)] = float(value)
        else:
            row = [float(cell) for cell in line.split(",")]
        rows.append(row)
    table = np.array(rows)
    is_label = np.array([name in labels for name in names])
    return table[:, ~is_label], table[:, is_label], [n for n in names if n in labels]


@pytest.mark.parametrize(
    "name",
    [
        "emotions/emotions-train",
        "birds/birds-test",
        "yeast/yeast-test",
        "medical/medical-test",
        "mediamill-2000/mediamill-test",
        "enron/enron-test",
        "msrc/msrc",
    ],
)
def test_real_files_equal_a_slow_reading(real_data, name):
    file = real_data / f"{name}.arff"
    data = read_arff(file)
    X, Y, label_names = slow_twin(file, set(data.label_names))
    np.testing.assert_array_equal(data.X.toarray() if sp.issparse(data.X) else data.X, X)
    np.testing.assert_array_equal(data.Y.toarray(), Y)
    assert list(data.label_names) == label_names


names = st.lists(
    st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=8)
    .map(str.strip)
    .filter(bool),
    min_size=5,
    max_size=5,
    unique=True,
)
cells = st.one_of(st.floats(width=64), st.sampled_from([0.0, 1.0, np.nan]))


@settings(max_examples=60)
@given(
    st.lists(st.lists(cells, min_size=3, max_size=3), min_size=1, max_size=4),
    names,
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_what_is_written_reads_back_the_same(tmp_path_factory, X, names, sparse, random):
    X = np.array(X)
    X[X == 0] = 0.0  # -0.0 is not stored in sparse rows
    Y = [[random.choice([0, 1, np.nan]) for _ in range(2)] for _ in X]
    data = Dataset(sp.csr_array(X) if sparse else X, Y, names[:3], names[3:], label_parents=[-1, 0])
    file = tmp_path_factory.mktemp("arff") / "d.arff"
    write_arff(data, file)
    again = read_arff(file)
    assert sp.issparse(again.X) == sparse
    np.testing.assert_array_equal(again.X.toarray() if sparse else again.X, X)
    np.testing.assert_array_equal(again.Y.toarray(), data.Y.toarray())
    assert again.feature_names == data.feature_names
    assert again.label_names == data.label_names
    assert again.label_parents == data.label_parents
    (file.parent / "d.xml").unlink()
    assert read_meka(file).label_names == data.label_names, "MEKA finds them by -C"


def test_memory_stays_within_three_times_the_arrays(real_data):
    for name in (
        "scene/scene-train.arff",
        "bibtex/bibtex-train.arff",
        "delicious/delicious-train.arff",
    ):
        read_arff(real_data / name)
        tracemalloc.start()
        data = read_arff(real_data / name)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        arrays = sum(
            part.nbytes
            for matrix in (data.X, data.Y)
            for part in (
                [matrix]
                if isinstance(matrix, np.ndarray)
                else [matrix.data, matrix.indices, matrix.indptr]
            )
        )
        assert peak <= 3 * arrays, name
