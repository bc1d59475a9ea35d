"""Small images as PNG, decoded again by hand."""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np

from dlst.reports._png import png_address, sprite


def test_a_png_decodes_to_its_pixels():
    ink = np.array([[0.0, 0.5, 1.0], [2.0, -1.0, 0.25]])
    raw = base64.b64decode(png_address(ink).split(",")[1])
    assert raw[:8] == b"\x89PNG\r\n\x1a\n"
    place, chunks = 8, {}
    while place < len(raw):
        (length,) = struct.unpack(">I", raw[place : place + 4])
        kind, content = raw[place + 4 : place + 8], raw[place + 8 : place + 8 + length]
        (check,) = struct.unpack(">I", raw[place + 8 + length : place + 12 + length])
        assert check == zlib.crc32(kind + content)
        chunks[kind] = content
        place += 12 + length
    assert struct.unpack(">IIBBBBB", chunks[b"IHDR"]) == (3, 2, 8, 0, 0, 0, 0)
    assert list(zlib.decompress(chunks[b"IDAT"])) == [0, 255, 128, 0, 0, 0, 255, 191]


def test_a_sprite_lays_images_in_reading_order():
    images = np.arange(5.0)[:, None, None] * np.ones((5, 2, 3))
    sheet = sprite(images, 2)
    assert sheet.shape == (6, 6)
    assert sheet[::2, ::3].tolist() == [[0, 1], [2, 3], [4, 0]]
