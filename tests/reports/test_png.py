"""Small images as PNG, decoded again."""

from __future__ import annotations

import base64
import io

import numpy as np
from PIL import Image

from dlst.reports.page import png_address, sprite


def test_a_png_decodes_to_its_pixels():
    ink = np.array([[0.0, 0.5, 1.0], [2.0, -1.0, 0.25]])
    head, packed = png_address(ink).split(",")
    assert head == "data:image/png;base64"
    picture = Image.open(io.BytesIO(base64.b64decode(packed)))
    assert (picture.format, picture.mode) == ("PNG", "L")
    assert np.asarray(picture).tolist() == [[255, 128, 0], [0, 255, 191]]


def test_a_sprite_lays_images_in_reading_order():
    images = np.arange(5.0)[:, None, None] * np.ones((5, 2, 3))
    sheet = sprite(images, 2)
    assert sheet.shape == (6, 6)
    assert sheet[::2, ::3].tolist() == [[0, 1], [2, 3], [4, 0]]
