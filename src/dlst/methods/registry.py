"""The registry of methods: tests, command line, docs and reports read it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dlst._nearest import nearest, nearest_or_all
from dlst.errors import UnknownNameError
from dlst.methods.base import MultiLabelClassifier
from dlst.methods.br import BR
from dlst.methods.clems import CLEMS
from dlst.methods.cplst import CPLST
from dlst.methods.dlst import DLST, LiteralDLST, PaperDLST
from dlst.methods.dlst1 import DLST1
from dlst.methods.ecc import ECC
from dlst.methods.faie import FAIE
from dlst.methods.import_paths import definition, imported_method, is_import_path
from dlst.methods.krr import KRR
from dlst.methods.leml import LEML
from dlst.methods.linear_dlst import LinearDLST
from dlst.methods.mc import MC
from dlst.methods.miml import MIML
from dlst.methods.mlknn import DLST2, MLkNN
from dlst.methods.mlloc import MLLOC
from dlst.methods.mrv import MRV
from dlst.methods.plst import PLST
from dlst.methods.rakel import RAKEL
from dlst.methods.sleec import SLEEC
from dlst.methods.slrm import SLRM


@dataclass(frozen=True)
class Method:
    """One row of the registry.

    Attributes
    ----------
    name, title : str
        For the command line, and for tables.
    make : class
        The estimator.
    meaning : str
        One line.
    param_grid : mapping of str to sequence
        A small grid for inner cross-validation.

    Examples
    --------
    >>> method_info("krr").make.__name__
    'KRR'
    """

    name: str
    title: str
    make: type[MultiLabelClassifier]
    meaning: str
    param_grid: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    @property
    def takes_unknown(self) -> bool:
        """Whether single unknown entries (NaN) have a meaning for the method."""
        return self.make._takes_unknown

    @property
    def takes_unlabelled(self) -> bool:
        """Whether the method learns from rows without any known label."""
        return self.make._takes_unlabelled


METHODS: tuple[Method, ...] = (
    Method("dlst", "DLST", DLST, "full or KL codes, kernel ridge, three evidences (the default)"),
    Method(
        "dlst-paper",
        "DLST (paper)",
        PaperDLST,
        "the paper's pipeline read soundly: KL codes, logistic regression, ML-kNN",
        {"regressor__alpha": (0.01, 0.1, 1.0)},
    ),
    Method(
        "dlst-literal",
        "DLST (literal)",
        LiteralDLST,
        "the paper's pipeline as printed, for the record",
    ),
    Method(
        "dlst-linear",
        "DLST (linear)",
        LinearDLST,
        "for many rows of wide sparse features: linear machines, and votes among probabilities",
    ),
    Method(
        "dlst1",
        "DLST₁",
        DLST1,
        "the paper's variant without codes: kernel logistic regression on labels",
        {"alpha": (0.01, 0.1, 1.0)},
    ),
    Method("dlst2", "DLST₂", DLST2, "the paper's variant without regression: ML-kNN on features"),
    Method(
        "mlknn",
        "ML-kNN",
        MLkNN,
        "ML-kNN on raw features, as its authors wrote it",
        {"n_neighbors": (5, 10, 20)},
    ),
    Method(
        "br",
        "BR",
        BR,
        "binary relevance: one support vector machine for each label, on one kernel matrix",
        {"C": (1.0, 3.0, 10.0), "gamma_multiple": (0.5, 2.0)},
    ),
    Method(
        "plst",
        "PLST",
        PLST,
        "ridge regression onto principal components of the labels",
        {"n_components": (0.2, 0.5, 0.8, None)},
    ),
    Method(
        "cplst",
        "CPLST",
        CPLST,
        "ridge regression onto principal components of what features predict of the labels",
        {"n_components": (0.2, 0.5, 0.8, None)},
    ),
    Method(
        "faie",
        "FaIE",
        FAIE,
        "ridge regression onto implicit codes that fit labels and features",
        {"n_components": (0.5, None), "feature_weight": (0.01, 0.1, 1.0)},
    ),
    Method(
        "mlloc",
        "ML-LOC",
        MLLOC,
        "codes of local label correlation appended to the features, large-margin scorers",
        {"alpha": (0.3, 1.0, 3.0), "n_prototypes": (15, 40)},
    ),
    Method(
        "mc",
        "MC",
        MC,
        "labels completed together with features, as one matrix of low rank",
        {"label_weight": (0.02, 0.1, 1.0)},
    ),
    Method(
        "miml",
        "MIML",
        MIML,
        "sparse Bayesian labels: closed-form regression, ARD at prediction, active queries",
        {"kernel": ("rbf", "linear")},
    ),
    Method(
        "slrm",
        "SLRM",
        SLRM,
        "low-rank linear map, smooth over rows with and without labels",
        {"kernel": ("linear", "rbf"), "manifold_penalty": (0.0, 0.03, 0.1)},
    ),
    Method(
        "mrv",
        "MRV",
        MRV,
        "latent low-rank labels and a smooth kernel function that predicts them",
        {"nuclear_penalty": (0.01, 0.03, 0.1), "negative_weight": (0.3, 1.0)},
    ),
    Method(
        "leml",
        "LEML",
        LEML,
        "linear map of low rank by alternating minimisation, from any known entries",
        {"n_components": ("auto", "half")},
    ),
    Method(
        "krr",
        "KRR",
        KRR,
        "kernel ridge regression of the labels, width and penalty by exact leave-one-out",
        {"kernel": ("rbf", "linear")},
    ),
    Method(
        "ecc",
        "ECC",
        ECC,
        "ensemble of classifier chains in random orders",
        {"C": (3.0, 10.0, 100.0)},
    ),
    Method(
        "rakel",
        "RAkEL",
        RAKEL,
        "random small label sets, each learnt as one multi-class problem",
        {"C": (3.0, 10.0, 100.0)},
    ),
    Method(
        "clems",
        "CLEMS",
        CLEMS,
        "label sets placed so that distances are costs; the nearest one answers",
        {"cost": ("hamming", "f1", "accuracy")},
    ),
    Method(
        "sleec",
        "SLEEC",
        SLEEC,
        "codes that keep near label sets near, linear regression, neighbours vote",
        {"n_neighbors": (10, 25, 50)},
    ),
)
"""The registry: a row for each method."""


def available() -> tuple[str, ...]:
    """Return the names of all methods.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> available()[:3]
    ('dlst', 'dlst-paper', 'dlst-literal')
    """
    return tuple(method.name for method in METHODS)


def method_info(name: str) -> Method:
    """Look a method up by name; upper case and underscores are forgiven.

    Parameters
    ----------
    name : str
        One of :func:`available`, or ``module:name`` as :func:`make` takes it.

    Returns
    -------
    Method

    Examples
    --------
    >>> method_info("ML_LOC".replace("_", "")).title
    'ML-LOC'
    """
    if is_import_path(name):
        model = imported_method(name)
        return Method(name.strip(), name.rpartition(":")[2], type(model), definition(model))
    key = name.strip().lower().replace("_", "-")
    for method in METHODS:
        if method.name == key:
            return method
    raise UnknownNameError(
        "a method must be one of dlst.methods.available(), or module:name; got "
        f"{name!r}.{nearest_or_all(key, available())}"
    )


def make(name: str, **parameters: Any) -> MultiLabelClassifier:
    """Make an unfitted method; parameters of its parts are named as in ``set_params``.

    Parameters
    ----------
    name : str
        One of :func:`available`; or ``module:name``, where to import one of your own: any
        classifier of scikit-learn's kind (as :class:`AnyClassifier` takes it), its class, a
        function that makes it, or an estimator of this package.
    **parameters
        Of the method and, with the part's name and two underscores before them, of its parts.

    Returns
    -------
    MultiLabelClassifier

    Examples
    --------
    >>> make("mlknn", n_neighbors=5)
    MLkNN(n_neighbors=5)
    >>> make("dlst", decoder__min_rows=9)
    DLST(decoder=EvidenceDecoder(min_rows=9))
    >>> make("sklearn.neighbors:KNeighborsClassifier", estimator__n_neighbors=3)
    AnyClassifier(estimator=KNeighborsClassifier(n_neighbors=3))
    """
    if is_import_path(name):
        model = imported_method(name)
    else:
        method = method_info(name)
        model, name = method.make(), method.name
    of_parts = {each for each in parameters if "__" in each}
    # Parts first: their parameters depend on what they are.
    for names in (set(parameters) - of_parts, of_parts):
        known = model.get_params()
        for each in sorted(names):
            if each not in known:
                raise ValueError(_unknown_parameter(name, each, list(known)))
        model.set_params(**{each: parameters[each] for each in names})
    return model


def _unknown_parameter(method: str, given: str, known: list[str]) -> str:
    """Name the parameters that may be meant; those of parts also by their own names."""
    of_parts = [name for name in known if name.rpartition("__")[2] == given]
    near = of_parts or nearest(given, known)
    flat = [name for name in known if "__" not in name]
    meant = f"Did you mean {', '.join(near)}?" if near else f"It has {', '.join(flat)}."
    return f"{method} has no parameter {given!r}. {meant}"
