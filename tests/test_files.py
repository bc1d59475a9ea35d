"""Bounded reading and all-or-nothing writing."""

from __future__ import annotations

import errno
import gzip
import os
from itertools import pairwise

import pytest

from dlst import _files
from dlst._files import atomic_write, open_binary, open_text, sha256, text_blocks
from dlst.errors import ReadError


@pytest.mark.parametrize("block_bytes", [1, 3, 7, 1000])
@pytest.mark.parametrize("text", [b"", b"a", b"a\n", b"a\nbb\n\nccc", b"\r\n\r\n", b"long" * 50])
def test_blocks_are_whole_lines_and_join_to_the_file(tmp_path, text, block_bytes):
    file = tmp_path / "f.txt"
    file.write_bytes(text)
    blocks = list(text_blocks(file, block_bytes))
    assert b"".join(block.text for block in blocks) == text
    for before, block in pairwise(blocks):
        assert before.text.endswith(b"\n")
        assert block.first_line == before.first_line + before.text.count(b"\n")


@pytest.mark.parametrize("block_bytes", [1, 3, 7, 1000])
@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "latin-1", "shift-jis"])
def test_text_of_other_encodings_comes_as_utf_8(tmp_path, encoding, block_bytes):
    text = "één\n\nzwei\n" * 20 if encoding != "shift-jis" else "一\n二\n" * 20
    file = tmp_path / "f.txt"
    file.write_bytes(text.encode(encoding))
    given = None if encoding in ("utf-16", "utf-32") else encoding
    blocks = list(text_blocks(file, block_bytes, encoding=given))
    assert b"".join(block.text for block in blocks).decode() == text
    assert blocks[-1].first_line == 1 + sum(b.text.count(b"\n") for b in blocks[:-1])
    with open_text(file, given) as stream:
        assert stream.read().decode() == text


@pytest.mark.parametrize("good", [b"a\nb\n", b"a\n" * 600_000])
def test_bytes_that_are_not_of_the_encoding_are_named_by_their_line(tmp_path, good):
    file = tmp_path / "f.txt"
    file.write_bytes(good + b"ok \x81\n")
    with pytest.raises(ReadError, match="expected cp1252 text, got bytes that are none") as caught:
        list(text_blocks(file, encoding="cp1252"))
    assert caught.value.line == good.count(b"\n") + 1


@pytest.mark.parametrize("encoding", ["latin-11", "hex", "base64", "a\0b", ""])
def test_an_encoding_that_there_is_not_is_refused(tmp_path, encoding):
    (tmp_path / "f.txt").write_bytes(b"a")
    with pytest.raises(ValueError, match="encoding must be the name of an encoding of text"):
        open_text(tmp_path / "f.txt", encoding)


def test_what_cannot_be_written_has_the_name_that_was_given(tmp_path):
    with pytest.raises(FileNotFoundError) as caught, atomic_write(tmp_path / "none" / "f.txt"):
        pass
    assert caught.value.filename == str(tmp_path / "none" / "f.txt")


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_what_fails_while_it_is_written_has_that_name_too(tmp_path, monkeypatch, call):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, call, full)
    with pytest.raises(OSError, match="No space left") as caught, atomic_write(tmp_path / "f.txt"):
        pass
    assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, str(tmp_path / "f.txt"))
    assert os.listdir(tmp_path) == []


def test_a_folder_in_the_way_is_named(tmp_path):
    (tmp_path / "f").mkdir()
    with pytest.raises(IsADirectoryError) as caught, atomic_write(tmp_path / "f"):
        pass
    assert caught.value.filename == str(tmp_path / "f")


def test_an_error_of_another_file_keeps_its_name(tmp_path):
    with pytest.raises(FileNotFoundError) as caught, atomic_write(tmp_path / "f.txt"):
        (tmp_path / "source").open()
    assert caught.value.filename == str(tmp_path / "source")


def test_gzip_reads_like_plain(tmp_path):
    file = tmp_path / "f.txt.gz"
    file.write_bytes(gzip.compress(b"one\ntwo\n"))
    assert [block.text for block in text_blocks(file)] == [b"one\ntwo\n"]


def test_a_cut_gzip_is_named(tmp_path):
    file = tmp_path / "f.gz"
    file.write_bytes(gzip.compress(os.urandom(10_000))[:5_000])
    with pytest.raises(ReadError, match=r"f\.gz: expected a whole gzip file"):
        list(text_blocks(file))


def test_a_gzip_bomb_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(_files, "GZIP_RATIO_FLOOR", 2**20)
    file = tmp_path / "bomb.gz"
    file.write_bytes(gzip.compress(b"\n" * 2**24))
    with pytest.raises(ReadError, match="decompression bomb"):
        list(text_blocks(file))


def test_an_endless_line_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(_files, "MAX_LINE_BYTES", 100)
    file = tmp_path / "f.txt"
    file.write_bytes(b"ok\n" + b"x" * 500)
    with pytest.raises(ReadError, match=r"f\.txt:2: expected lines of at most 100 bytes"):
        list(text_blocks(file, 50))


def test_what_cannot_be_opened_is_named(tmp_path):
    with pytest.raises(ReadError, match="absent: cannot be opened: No such file"):
        open_binary(tmp_path / "absent")
    with pytest.raises(ReadError, match="Is a directory"):
        open_binary(tmp_path)


def test_atomic_write_leaves_the_old_file_when_the_writer_fails(tmp_path):
    file = tmp_path / "f.txt"
    file.write_text("old")
    with pytest.raises(TypeError), atomic_write(file, text=True) as stream:
        stream.write("new", "and an argument too many")
    assert file.read_text() == "old"
    assert os.listdir(tmp_path) == ["f.txt"]


@pytest.mark.parametrize("text", [True, False])
@pytest.mark.parametrize("name", ["f.txt", "f.txt.gz"])
def test_atomic_write_writes_plain_and_packed_with_ordinary_rights(tmp_path, name, text):
    file = tmp_path / name
    with atomic_write(file, text=text) as stream:
        stream.write("grün\n" if text else "grün\n".encode())
    with open_binary(file) as stream:
        assert stream.read() == "grün\n".encode()
    (tmp_path / "plain").touch()
    assert file.stat().st_mode == (tmp_path / "plain").stat().st_mode
    assert sorted(os.listdir(tmp_path)) == sorted([name, "plain"])


def test_equal_content_packs_to_equal_bytes(tmp_path):
    for name in ("a.gz", "b.gz"):
        with atomic_write(tmp_path / name) as stream:
            stream.write(b"same")
    assert sha256(tmp_path / "a.gz") == sha256(tmp_path / "b.gz")


def test_sha256_of_nothing(tmp_path):
    (tmp_path / "f").touch()
    assert sha256(tmp_path / "f").startswith("e3b0c44298fc1c14")
