"""Pictures to features: a classical descriptor, or a pretrained network."""

from dlst.inputs.images.column import ImageColumn
from dlst.inputs.images.descriptor import ImageDescriptor
from dlst.inputs.images.network import PretrainedImages
from dlst.inputs.images.reading import ImageError, read_image

__all__ = ["ImageColumn", "ImageDescriptor", "ImageError", "PretrainedImages", "read_image"]
