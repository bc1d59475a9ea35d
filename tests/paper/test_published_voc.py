"""The quoted figures are whole, and say of themselves what the report says of them."""

from __future__ import annotations

import pytest

from dlst.data.layouts.voc import CLASSES
from dlst.paper.published import (
    NUSWIDE_GAINS,
    NUSWIDE_MEANS,
    VOC_AP,
    VOC_CLASSES,
    VOC_LABELS,
    VOC_MAP,
    VOC_SAMPLES,
    classes_not_led,
    recomputed_map,
)


def test_every_row_has_the_twenty_classes_in_the_order_of_the_data():
    assert tuple(VOC_CLASSES.values()) == tuple(CLASSES)
    for row in (VOC_LABELS, VOC_SAMPLES, *VOC_AP.values()):
        assert len(row) == 20
    assert VOC_AP.keys() == VOC_MAP.keys()


def test_the_samples_are_all_images_with_difficult_objects():
    # 9,963 images of 1.560 labels each, as the paper's Table V says.
    assert sum(VOC_SAMPLES) == 15_545
    assert round(sum(VOC_SAMPLES) / 9963, 3) == 1.560
    assert max(VOC_SAMPLES) == VOC_SAMPLES[list(VOC_CLASSES).index("person")]
    assert min(VOC_SAMPLES) == VOC_SAMPLES[list(VOC_CLASSES).index("sheep")]


def test_quoted_means_agree_with_their_classes_and_the_papers_own_do_not():
    means = recomputed_map()
    assert means["HCP-1000C"] == pytest.approx(81.55)
    assert means["CNN-RNN"] == pytest.approx(83.99)
    assert means["DLST₁"] == pytest.approx(82.145)
    assert means["DLST"] == pytest.approx(91.915)
    # A mean of twenty printed values may be off by the rounding of each, and is then rounded.
    off = {method: abs(means[method] - printed) for method, printed in VOC_MAP.items()}
    assert {method for method, gap in off.items() if gap > 0.1} == {"DLST₁", "DLST"}


def test_the_printed_table_contradicts_that_dlst_leads_in_all_classes():
    lost = classes_not_led()
    assert list(lost) == ["bird", "car", "cat", "dog", "person", "train"]
    assert lost["person"] == ["HCP-1000C", "CNN-RNN"]
    assert lost["bird"] == ["CNN-RNN"]


def test_the_printed_gains_are_the_ratios_of_the_means():
    pairs = zip(NUSWIDE_MEANS["DLST"], NUSWIDE_MEANS["CNN-RNN"], NUSWIDE_GAINS, strict=True)
    for ours, theirs, gain in pairs:
        assert ours / theirs - 1 == pytest.approx(gain, abs=0.0015)
    precision, recall = NUSWIDE_MEANS["CNN-RNN"]
    assert round(2 * precision * recall / (precision + recall), 3) == 0.347
