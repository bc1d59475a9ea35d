from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from dlst.inputs import CellError, ImageDescriptor, ImageError, PretrainedImages, TableEncoder
from dlst.inputs.images import read_image, reading


def picture(seed: int = 0, size: tuple[int, int] = (60, 40)) -> Image.Image:
    noise = np.random.default_rng(seed).integers(0, 255, (*size[::-1], 3), dtype=np.uint8)
    return Image.fromarray(noise)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number in range(3):
        picture(number).save(tmp_path / f"{number}.png")
    return tmp_path


def test_pictures_come_from_paths_bytes_and_memory(folder: Path) -> None:
    path = folder / "0.png"
    descriptor = ImageDescriptor()
    found = descriptor.transform([path, str(path), path.read_bytes(), picture(0)])
    assert (found == found[0]).all()


def test_a_description_is_histograms_by_place() -> None:
    descriptor = ImageDescriptor(side=48)
    found = descriptor.transform([picture(0), picture(0).transpose(Image.Transpose.ROTATE_180)])
    np.testing.assert_allclose((found**2).sum(axis=1), 1.0, rtol=1e-5)
    colours = found[:, :87]
    np.testing.assert_allclose(colours[0], colours[1], atol=1e-6)
    assert np.abs(found[0] - found[1]).max() > 0.01


def test_transparent_turned_and_grey_pictures_are_read(tmp_path: Path) -> None:
    clear = Image.new("RGBA", (30, 30), (0, 0, 0, 0))
    assert np.asarray(read_image(clear, 16)).min() == 255
    turned = Image.new("RGB", (40, 20), "red")
    exif = turned.getexif()
    exif[0x0112] = 6
    turned.save(tmp_path / "turned.jpg", exif=exif)
    assert read_image(tmp_path / "turned.jpg", 10).size == (10, 20)
    for mode in ("L", "1", "P", "I;16", "CMYK"):
        assert read_image(Image.new(mode, (20, 20)), 8).mode == "RGB"


def test_sixteen_bits_are_read_as_eight(tmp_path: Path) -> None:
    grey = np.arange(64 * 64, dtype=np.uint8).reshape(64, 64)
    Image.fromarray(grey.astype(np.uint16) * 257).save(tmp_path / "deep.png")
    deep = read_image(tmp_path / "deep.png", 64)
    assert np.asarray(deep).tolist() == np.asarray(Image.fromarray(grey).convert("RGB")).tolist()
    Image.fromarray(grey.astype(np.float32)).save(tmp_path / "float.tif")
    with pytest.raises(ImageError, match=r"float\.tif: .*nobody says how large white is"):
        read_image(tmp_path / "float.tif", 64)


def test_a_missing_file_is_named(folder: Path) -> None:
    with pytest.raises(ImageError, match=r"none\.png: expected a picture, got no such file"):
        read_image(folder / "none.png", 16)


@pytest.mark.parametrize("content", [b"", b"no picture", b"\x89PNG\r\n\x1a\n" + b"\0" * 50])
def test_a_broken_file_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "broken.png"
    path.write_bytes(content)
    with pytest.raises(ImageError, match=r"broken\.png: expected a picture, got what cannot be"):
        read_image(path, 16)


def test_a_cut_file_is_named(tmp_path: Path) -> None:
    stream = io.BytesIO()
    picture(size=(200, 200)).save(stream, "PNG")
    (tmp_path / "cut.png").write_bytes(stream.getvalue()[:-3000])
    with pytest.raises(ImageError, match=r"cut\.png: expected a picture"):
        read_image(tmp_path / "cut.png", 16)


@pytest.mark.parametrize("side", [9_000, 12_000, 16_000])
def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path, side: int) -> None:
    path = tmp_path / "bomb.png"
    Image.new("1", (side, side)).save(path)
    assert path.stat().st_size < 50_000
    with pytest.raises(ImageError, match=r"bomb\.png: expected .* at most 64,000,000 pixels"):
        read_image(path, 16)


def test_a_huge_file_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_BYTES", 100)
    with pytest.raises(ImageError, match="at most 100 bytes"):
        read_image(folder / "0.png", 16)


def test_an_extreme_shape_stays_small() -> None:
    assert max(read_image(Image.new("RGB", (20_000, 2)), 16).size) <= 128


def test_an_image_column_is_encoded(folder: Path) -> None:
    frame = pd.DataFrame({"file": [str(folder / f"{number}.png") for number in range(3)]})
    encoder = TableEncoder()
    X = encoder.fit_transform(frame)
    assert encoder.names_of("image") == ["file"]
    assert (X**2).sum(axis=1).mean() == pytest.approx(1.0)
    np.testing.assert_allclose(encoder.transform(frame[1:2]), X[1:2])
    with pytest.raises(CellError, match=r"column 'file', row 1 .*got an empty cell"):
        encoder.transform(pd.DataFrame({"file": [frame["file"][0], ""]}))


def test_without_the_extra_the_remedy_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from dlst.inputs.images import network

    network._network.cache_clear()
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(Exception, match=r"pip install dlst\[images\]"):
        PretrainedImages().fit([])


def test_a_pretrained_network_describes_pictures(folder: Path) -> None:
    pytest.importorskip("efficientnet_lite_pytorch")
    paths = [folder / f"{number}.png" for number in range(3)]
    found = PretrainedImages(n_jobs=1).fit_transform(paths)
    assert found.shape == (3, 1280)
    np.testing.assert_allclose(
        PretrainedImages(n_jobs=1).transform(paths[1:2]), found[1:2], atol=1e-4
    )
