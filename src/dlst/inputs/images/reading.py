"""Pictures from files, bytes or memory, each checked before it is unpacked."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps

from dlst.errors import DataError

MAX_PIXELS = 64 * 10**6
"""Larger pictures are refused before they are unpacked."""

MAX_BYTES = 256 * 2**20


class ImageError(DataError):
    """A picture that is missing, broken or enormous; the message names it.

    Examples
    --------
    >>> from dlst.errors import DlstError
    >>> issubclass(ImageError, DlstError)
    True
    """


def read_image(source: Any, side: int) -> Image.Image:
    """Return a picture in RGB, upright, its shorter side ``side`` pixels long.

    Parameters
    ----------
    source : str, path-like, bytes or PIL image
        Of animated files the first picture is taken; what is transparent becomes white.
    side : int

    Raises
    ------
    ImageError
        Naming the file, when there is none, when it is no whole picture, or when it has more than
        ``MAX_PIXELS``.
    """
    name = _name(source)
    try:
        with _opened(source, name) as picture:
            width, height = picture.size
            if width * height > MAX_PIXELS:
                raise _enormous(name, f"{width} by {height}")
            # JPEG unpacks straight to a smaller size.
            picture.draft("RGB", (2 * side, 2 * side))
            upright = ImageOps.exif_transpose(picture)
            return _resized(_on_white(_of_eight_bits(upright)), side)
    except ImageError:
        raise
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise _enormous(name, "a decompression bomb") from error
    except FileNotFoundError as error:
        raise ImageError(
            f"{name}: expected a picture, got no such file. Mend the path, give the column "
            "another kind, or drop it."
        ) from error
    except Exception as error:  # a decoder of damaged bytes may raise anything
        raise ImageError(
            f"{name}: expected a picture, got what cannot be read as one "
            f"({' '.join(str(error).split())[:200]}). Save it again, or leave the row out."
        ) from error


def pixels(picture: Image.Image) -> NDArray[np.float32]:
    """Return a picture as an array (height, width, 3) from 0 to 1."""
    return np.asarray(picture, dtype=np.float32) / np.float32(255)


def _enormous(name: str, got: str) -> ImageError:
    return ImageError(
        f"{name}: expected a picture of at most {MAX_PIXELS:,} pixels, got {got}. Make it smaller, "
        "or leave the row out."
    )


def _name(source: Any) -> str:
    if isinstance(source, str | os.PathLike):
        return os.fspath(source)
    return f"picture in memory ({type(source).__name__})"


def _opened(source: Any, name: str) -> Image.Image:
    if isinstance(source, Image.Image):
        return source.copy()
    if isinstance(source, bytes):
        return Image.open(io.BytesIO(source))
    if not isinstance(source, str | os.PathLike) or not os.fspath(source):
        raise ImageError(f"{name}: expected the path of a picture, got {source!r}.")
    size = Path(source).stat().st_size
    if size > MAX_BYTES:
        raise ImageError(
            f"{name}: expected a picture file of at most {MAX_BYTES:,} bytes, got {size:,}."
        )
    return Image.open(source)


def _of_eight_bits(picture: Image.Image) -> Image.Image:
    """Scale grey values of 16 bits, which Pillow would cut off: nearly all would be white."""
    if picture.mode != "F" and not picture.mode.startswith("I"):
        return picture
    values = np.asarray(picture)
    if picture.mode == "F" or values.min() < 0 or values.max() > 65535:
        raise ValueError("grey values of 32 bits, of which nobody says how large white is")
    return Image.fromarray(np.round(values / 257).astype(np.uint8))


def _on_white(picture: Image.Image) -> Image.Image:
    if picture.mode in ("RGB", "L"):
        return picture.convert("RGB")
    layered = picture.convert("RGBA")
    white = Image.new("RGBA", layered.size, "white")
    return Image.alpha_composite(white, layered).convert("RGB")


def _resized(picture: Image.Image, side: int) -> Image.Image:
    scale = side / min(picture.size)
    size = (max(1, round(picture.width * scale)), max(1, round(picture.height * scale)))
    # A line of one pixel's width is no picture that anybody describes.
    longest = 8 * side
    return picture.resize((min(size[0], longest), min(size[1], longest)), Image.Resampling.BILINEAR)
