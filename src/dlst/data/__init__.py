"""Data sets: files, folders and names to a frozen :class:`Dataset`, and its splits."""

from typing import TYPE_CHECKING

from dlst._first_use import on_first_use

if TYPE_CHECKING:
    from dlst.data.arff import read_arff, read_meka, read_mulan, write_arff
    from dlst.data.catalogue import DataFile, Entry, available, entry
    from dlst.data.dataset import Dataset, Provenance, Split
    from dlst.data.fingerprints import fingerprint
    from dlst.data.formats import FORMATS, Format, format_names
    from dlst.data.front_door import EMBEDDED, files_to_write, is_at_hand, load, save
    from dlst.data.home import data_home, fetch
    from dlst.data.joining import join_train_test
    from dlst.data.layouts import (
        detect_layout,
        read_layout,
        read_nuswide,
        read_sunattribute,
        read_voc2007,
    )
    from dlst.data.mat import read_mat, write_mat
    from dlst.data.missing import DroppedLabels, drop_labels, mask_entries, mask_rows
    from dlst.data.multidigits import load_multidigits
    from dlst.data.names import NumberedNames
    from dlst.data.registry import is_cached, load_registered
    from dlst.data.simulation import make_label_space, simulate_features, with_simulated_features
    from dlst.data.sparse_text import read_svmlight, read_xc, write_svmlight, write_xc
    from dlst.data.splits import (
        k_fold,
        official_split,
        per_class_fraction,
        random_split,
        repeated_random_splits,
    )
    from dlst.data.statistics import Statistics, cooccurrence, describe
    from dlst.data.stratification import (
        IterativeStratification,
        label_deviation,
        stratified_folds,
        stratified_split,
    )
    from dlst.data.tables import from_frame, read_table, to_frame, write_table
else:
    __getattr__, __dir__ = on_first_use(__name__)

__all__ = [
    "EMBEDDED",
    "FORMATS",
    "DataFile",
    "Dataset",
    "DroppedLabels",
    "Entry",
    "Format",
    "IterativeStratification",
    "NumberedNames",
    "Provenance",
    "Split",
    "Statistics",
    "available",
    "cooccurrence",
    "data_home",
    "describe",
    "detect_layout",
    "drop_labels",
    "entry",
    "fetch",
    "files_to_write",
    "fingerprint",
    "format_names",
    "from_frame",
    "is_at_hand",
    "is_cached",
    "join_train_test",
    "k_fold",
    "label_deviation",
    "load",
    "load_multidigits",
    "load_registered",
    "make_label_space",
    "mask_entries",
    "mask_rows",
    "official_split",
    "per_class_fraction",
    "random_split",
    "read_arff",
    "read_layout",
    "read_mat",
    "read_meka",
    "read_mulan",
    "read_nuswide",
    "read_sunattribute",
    "read_svmlight",
    "read_table",
    "read_voc2007",
    "read_xc",
    "repeated_random_splits",
    "save",
    "simulate_features",
    "stratified_folds",
    "stratified_split",
    "to_frame",
    "with_simulated_features",
    "write_arff",
    "write_mat",
    "write_svmlight",
    "write_table",
    "write_xc",
]
