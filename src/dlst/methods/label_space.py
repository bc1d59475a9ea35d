"""The composition of an encoder, a regressor and a decoder, each one argument."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any, ClassVar

import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils import check_random_state

from dlst._matrices import FeatureMatrix
from dlst._parameters import NONE, integer, one_of, parameter, with_parameters
from dlst._seeds import give_seed
from dlst._weights import Weights
from dlst.decisions import OwnOrRule, Tau
from dlst.decoders import EvidenceDecoder, as_decoder
from dlst.encoders import FullCode, as_encoder
from dlst.methods.code_space import CodeSpaceClassifier, Composition
from dlst.methods.memory_plan import MAX_MEMORY, Shape
from dlst.regressors import KernelRidge, as_regressor

CODES = ("out-of-sample", "fitted", "targets")


@with_parameters
class LabelSpaceClassifier(CodeSpaceClassifier):
    """Encode labels, regress features onto the codes, decode codes to label scores.

    A part that is not given is the class's own; ``default_parts()`` shows them. Their parameters
    are reached as in any scikit-learn composition: ``set_params(decoder__min_rows=9)``, grids over
    ``regressor__alpha``; ``get_params()`` lists them all.

    Parameters
    ----------
    encoder : encoder, optional
        Labels to codes. Default: the full code.
    regressor : regressor, optional
        Features to codes; any multi-output regressor of scikit-learn too, whose out-of-sample codes
        are cross-fitted in five folds. Default: :class:`KernelRidge`.
    decoder : decoder, optional
        Codes to probabilities; any classifier of scikit-learn with ``predict_proba`` too, one for
        each label. Default: :class:`EvidenceDecoder`.
    codes : {"out-of-sample", "fitted", "targets"}, optional
        Which codes of the training rows the decoder learns from: predicted without the row itself
        (exact leave-one-out where the regressor has it, else cross-fitting in five folds),
        predicted with it, or the encoder's own. Default: out-of-sample.
    decision : {"own", "f1", "micro", "macro", "instance", "hamming", "subset", "top", "budget"}, \
optional
        What ``predict`` aims at: a rule of :mod:`dlst.decisions`, learnt on out-of-sample
        probabilities of the training rows (``predict(X, decision=...)`` takes any of them), or
        ``"own"``, what the method's authors do, p ≥ ½ here. Default: "f1".
    cardinality : float, optional
        Known mean number of labels per instance, when positives are missing in training.
    tau : float or "auto", optional
        Prior correction of the ranking, logit p − τ log π: rare labels a little higher. 0 is none,
        ``"auto"`` what ranks left-out training rows best. Default: "auto". For a fair comparison
        give all methods the same.
    scaling : str
        See :class:`FeatureScaler`.
    max_memory : int or str, optional
        Memory that a kernel regression may take beyond what is held already: bytes, or a size such
        as "4GiB". Work goes in blocks that keep to it, and what cannot fit is refused before it
        starts. Default: what the machine has free.
    n_jobs : int, optional
        Threads of a fit, each with BLAS to itself; the same bytes whatever their number. Default:
        as many as there are free cores.
    random_state : None, int or RandomState
        Seed of the parts that have none of their own.

    Attributes
    ----------
    encoder_, regressor_, decoder_, scaler_ : fitted parts
    codes_ : ndarray of shape (n, r)
        What the decoder was fitted on.
    n_components_ : int
        Dimensions that the codes span.

    Examples
    --------
    A user swaps a part in one line:

    >>> from sklearn.linear_model import Ridge
    >>> from dlst.data import load_multidigits
    >>> data = load_multidigits()
    >>> model = LabelSpaceClassifier(regressor=Ridge(alpha=10.0), random_state=0)
    >>> model.fit(data.train.X, data.train.Y).transform(data.test.X).shape
    (500, 10)

    and sets a parameter of one that he keeps:

    >>> LabelSpaceClassifier().set_params(decoder__min_rows=9)
    LabelSpaceClassifier(decoder=EvidenceDecoder(min_rows=9))
    """

    encoder: Any = None
    regressor: Any = None
    decoder: Any = None
    _: KW_ONLY
    codes: str | None = parameter(default=None, must_be=NONE | one_of(*CODES))
    decision: OwnOrRule | None = None  # type: ignore[assignment]  # None: the class's own
    tau: Tau | None = None  # type: ignore[assignment]
    max_memory: int | str | None = parameter(default=None, must_be=MAX_MEMORY)
    n_jobs: int | None = parameter(default=None, must_be=NONE | integer(at_least=1))
    random_state: Any = None

    _default_decision: ClassVar[OwnOrRule] = "f1"
    _default_tau: ClassVar[Tau] = "auto"

    @staticmethod
    def default_parts() -> Composition:
        """Return the parts that are used where no argument is given."""
        return Composition(FullCode(), KernelRidge(), EvidenceDecoder())

    def _decision_settings(self) -> tuple[OwnOrRule, Tau]:
        return (
            self._default_decision if self.decision is None else self.decision,
            self._default_tau if self.tau is None else self.tau,
        )

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters; with ``deep`` also those of parts, given or default."""
        found: dict[str, Any] = super().get_params(deep=deep)
        if deep:
            for name, part in self._standing_in().items():
                if found[name] is None:
                    found |= {f"{name}__{key}": value for key, value in part.get_params().items()}
        return found

    def set_params(self, **params: Any) -> LabelSpaceClassifier:
        """Set parameters; one of a default part puts that part in place first."""
        nested = {key.partition("__")[0] for key in params if "__" in key}
        given = self.get_params(deep=False) | params
        missing = {
            name: part
            for name, part in self._standing_in().items()
            if name in nested and given[name] is None
        }
        super().set_params(**params | missing)
        return self

    def _standing_in(self) -> dict[str, Any]:
        default = self._own_parts(fitting=False)
        return dict(zip(("encoder", "regressor", "decoder"), default[:3], strict=True))

    def _own_parts(self, *, fitting: bool) -> Composition:
        """Return the default parts, of this fit or those that nested parameters are about."""
        return self.default_parts()

    def _parts_given(self) -> bool:
        return any(part is not None for part in (self.encoder, self.regressor, self.decoder))

    def _composition(
        self, X: FeatureMatrix, Y: sp.csr_array, weights: Weights | None
    ) -> Composition:
        return self._completed(self._own_parts(fitting=True))

    def _shape(self, X: FeatureMatrix, Y: sp.csr_array) -> Shape | None:
        own = self._own_parts(fitting=True)
        return Shape.of(X, Y, own.regressor if self.regressor is None else self.regressor)

    def _completed(self, default: Composition) -> Composition:
        """Return the parts that were given, the others from a composition, all with seeds."""
        given = (self.encoder, self.regressor, self.decoder)
        for as_part, mine in zip((as_encoder, as_regressor, as_decoder), given, strict=True):
            if mine is not None:
                as_part(mine)  # What has not its role is refused before anybody copies it.
        parts: list[Any] = [
            part if mine is None else clone(mine)
            for mine, part in zip(given, default[:3], strict=True)
        ]
        seeds = check_random_state(self.random_state).randint(2**31 - 1, size=3).tolist()
        for part, seed in zip(parts, seeds, strict=True):
            give_seed(part, seed)
        return Composition(
            as_encoder(parts[0]),
            as_regressor(parts[1]),
            as_decoder(parts[2]),
            self.codes or default.codes,
            judge_seed=seeds[2],
        )
