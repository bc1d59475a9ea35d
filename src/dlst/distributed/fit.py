"""DLST fitted to rows on a cluster: the five steps of a composition, block by block."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dask
import numpy as np
import scipy.sparse as sp
from dask import delayed

from dlst._matrices import FloatArray, IntArray
from dlst._parameters import check_parameters
from dlst.decoders import EvidenceDecoder, VoteDecoder
from dlst.decoders.evidences.ballot import usable_neighbourhoods
from dlst.distributed.admission import check_looks, checked_composition, name_labels
from dlst.distributed.blocks import training_blocks, tree_sum
from dlst.distributed.codes import chosen_code
from dlst.distributed.ridge import Regressed, Ridge, chosen_rows, readout_of, regress, search
from dlst.distributed.scaling import fitted_scaler
from dlst.distributed.shards import left_out_labels, near_in, scaled, voters_of
from dlst.distributed.sums import Looks, Spread, counts_of, joined_label_sets, label_sets_of
from dlst.distributed.votes import (
    BasisPredictor,
    CalibrationRows,
    Candidates,
    ClusterCodeVote,
    ClusterDecoder,
    ClusterLabels,
    merged,
)
from dlst.encoders import FullCode, LabelSets
from dlst.errors import DataError
from dlst.parts import OutOfSample
from dlst.regressors import KernelRidge


def fit(model: Any, X: Any, Y: Any, **weights: Any) -> Any:
    """Fit DLST to Dask arrays of features (n, d) and labels (n, K), cut by rows.

    The result is that of a fit in memory, up to rounding, except for decisions: these are learnt on
    the calibration rows alone. Voters stay on their workers.
    """
    if any(given is not None for given in weights.values()):
        raise DataError(
            f"rows on a cluster must be fitted without {' and '.join(weights)}, for which there is "
            "no place yet; got one. Leave them out, or fit in one place."
        )
    composition = checked_composition(model)
    blocks, n, n_labels = training_blocks(X, Y)
    looks, sets = dask.compute(
        tree_sum(Looks.joined, [delayed(Looks.of)(block) for block in blocks]),
        tree_sum(joined_label_sets, [delayed(label_sets_of)(block) for block in blocks]),
    )
    check_looks(model, looks, n_labels, composition.decoder.min_rows)
    sets = name_labels(model, sets, Y, X.shape[1])
    layer = model._decision_layer()
    model.scaler_ = fitted_scaler(model.scaling, looks)
    shards = dask.persist(
        *[delayed(scaled)(block, model.scaler_, model._varying) for block in blocks]
    )
    fitting = _Fitting(shards, n, sets, composition)
    fitting.carry_out(model)
    found = OutOfSample(
        np.arange(len(model.decoder_.calibration_rows_)), model.decoder_.out_of_sample_proba_
    )
    model.decisions_ = layer.fit(found if layer.learns else None, fitting.calibration_labels)
    # Label frequencies are those of all rows.
    model.decisions_.prior_correction_.log_prior_ = np.log(model.decoder_.prior_)
    return model


class _Fitting:
    """One fit: shards of scaled features and varying labels, and counts of these."""

    def __init__(self, shards: Sequence[Any], n: int, sets: LabelSets, composition: Any):
        self.shards, self.n, self.sets, self.parts = shards, n, sets, composition
        self.n_positive, self.n_known = counts_of(sets)
        self.means = self.n_positive / self.n_known

    def carry_out(self, model: Any) -> None:
        """Choose width, penalty and code; regress and calibrate; voters stay on their workers."""
        ridge = search(self.parts.regressor, self.shards, self.n, self.means)
        judged = VoteDecoder(random_state=self.parts.judge_seed)
        model.encoder_ = chosen_code(
            self.parts.encoder, self.sets, lambda code: self._vote_loss(judged, ridge, code)
        )
        codes = self._codes_regression(ridge, model.encoder_)
        model.decoder_ = self._decoder(ridge, codes, model.encoder_)
        model.regressor_ = _regressor(self.parts.regressor, ridge, dask.compute(codes)[0])
        among_codes = [each for each in model.decoder_.evidences_ if each.space == "codes"]
        rho = among_codes[0].rho_ if among_codes else 0.0
        model.cluster_voters_ = dask.persist(
            *[
                delayed(voters_of)(shard, codes, ridge.alpha, model.encoder_, rho)
                for shard in self.shards
            ]
        )

    def _codes_regression(self, ridge: Ridge, encoder: Any) -> Any:
        """Regress codes; the full code, the labels less their mean, is regressed already."""
        if _is_full(encoder):
            return delayed(_less)(ridge.labels, self.means)
        return regress(ridge.labels.basis, self.shards, self.means, encoder)

    def _vote_loss(self, vote: VoteDecoder, ridge: Ridge, encoder: Any) -> float:
        """Return the loss of codes: the left-out log-loss of the vote of near rows."""
        rows = vote._draw_rows(np.arange(self.n))
        codes = self._codes_regression(ridge, encoder)
        near, labels = self._near(rows, vote, ridge, codes, encoder, features=False)
        evidence = ClusterCodeVote(vote.k_grid, vote.rho_grid)
        evidence.fit(self._calibration(rows, near, labels))
        return float(evidence.log_loss_.min())

    def _decoder(self, ridge: Ridge, codes: Any, encoder: Any) -> ClusterDecoder:
        unfitted: EvidenceDecoder = self.parts.decoder
        decoder = ClusterDecoder(**unfitted.get_params(deep=False))
        check_parameters(decoder)
        rows = decoder._draw_rows(np.arange(self.n))
        near, labels = self._near(rows, decoder, ridge, codes, encoder, features=True)
        readouts = [
            delayed(left_out_labels)(shard, ridge.labels, ridge.alpha, self.means, rows)
            for shard in self.shards
        ]
        spread, values, regressed = dask.compute(
            tree_sum(Spread.joined, [each[0] for each in readouts]),
            [each[1] for each in readouts],
            ridge.labels,
        )
        full = _is_full(encoder)
        self.calibration_labels = labels
        training = self._calibration(
            rows,
            near,
            labels,
            readouts=np.vstack(values),
            link_scale=np.sqrt(spread.variance) + 1e-3,
            readout=None if full else readout_of(regressed, ridge.alpha),
            code_offset=self.means if full else None,
            basis=regressed.basis,
        )
        decoder.calibrate(training)
        decoder.calibration_rows_ = rows
        decoder.n_codes_ = decoder.n_features_ = None
        return decoder

    def _near(
        self,
        rows: IntArray,
        decoder: Any,
        ridge: Ridge,
        codes: Any,
        encoder: Any,
        *,
        features: bool,
    ) -> tuple[Candidates, sp.csr_array]:
        """Find the left-out neighbours of calibration rows, and the labels of these rows."""
        wanted = min(usable_neighbourhoods(decoder.k_grid, self.n)[-1] + 1, self.n - 1)
        queries = chosen_rows(self.shards, rows)
        rhos = tuple(float(rho) for rho in decoder.rho_grid)
        # The encoder and the row indices are sent once, not with every task.
        encoder, numbers = delayed(encoder, traverse=False), delayed(rows, traverse=False)
        parts = [
            delayed(near_in)(
                shard, queries, numbers, codes, ridge.alpha, encoder, wanted, rhos, features
            )
            for shard in self.shards
        ]
        near, labels = dask.compute(tree_sum(_Merge(wanted, rows), parts), queries.Y)
        return near, labels

    def _calibration(
        self, rows: IntArray, near: Candidates, labels: sp.csr_array, **known: Any
    ) -> CalibrationRows:
        """Put the calibration rows and the rows that voted on them into one small training set."""
        voting = ~np.isin(near.rows, rows)
        numbers = np.concatenate([rows, near.rows[voting]])
        ascending = np.argsort(numbers)
        stacked = sp.csr_array(sp.vstack([labels, near.labels[voting]], format="csr"))
        numbers, stacked = numbers[ascending], stacked[ascending]
        local = Candidates(near.found, numbers, stacked).local()
        return CalibrationRows(
            codes=np.empty((len(numbers), 0)),
            labels=ClusterLabels(stacked, self.n_positive, self.n_known),
            targets=None,
            X=None,
            smoother=None,
            rows=np.searchsorted(numbers, rows),
            near=local,
            n_training=self.n,
            **known,
        )


class _Merge:
    """Keeps the nearest candidates of all shards, without the queries themselves."""

    def __init__(self, wanted: int, own: IntArray):
        self.wanted, self.own = wanted, own

    def __call__(self, parts: Sequence[Candidates]) -> Candidates:
        return merged(parts, self.wanted, self.own)


def _regressor(regressor: KernelRidge, ridge: Ridge, codes: Regressed) -> KernelRidge:
    """Set the regressor up to predict; it has no leave-one-out, as its rows are on the cluster."""
    regressor.n_features_in_ = codes.basis.n_features_in_
    regressor._one_dimensional = False
    regressor.smoother_ = BasisPredictor(codes.basis)  # type: ignore[assignment]
    regressor.readout_ = readout_of(codes, ridge.alpha)
    regressor.basis_, regressor.gamma_ = codes.basis, ridge.gamma
    regressor.alpha_, regressor.loo_error_, regressor.selection_ = (
        ridge.alpha,
        ridge.error,
        ridge.tried,
    )
    return regressor


def _is_full(encoder: Any) -> bool:
    return isinstance(getattr(encoder, "encoder_", encoder), FullCode)


def _less(labels: Regressed, means: FloatArray) -> Regressed:
    return labels._replace(target_mean=labels.target_mean - means)
