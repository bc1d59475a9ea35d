"""The encoder's own inverse as a decoder."""

from __future__ import annotations

import numpy as np
import pytest
from decoder_problems import NAN, planted

from dlst.decoders import InverseDecoder, LinearDecoder
from dlst.encoders import FullCode, ImplicitEncoder, PrincipalEncoder
from dlst.errors import DataError


@pytest.mark.parametrize("encoder", [PrincipalEncoder(3), ImplicitEncoder(3)], ids=str)
def test_decoded_is_what_the_encoder_inverts(encoder):
    X, Y, *_ = planted()
    codes = encoder.fit_transform(Y, X)
    decoder = InverseDecoder().fit(codes, Y, encoder=encoder)
    found = decoder.scores(codes[:7])
    expected = encoder.inverse_transform(codes[:7])
    np.testing.assert_allclose(found.ranking, expected - 0.5, atol=1e-12)
    inside = (expected > 0.001) & (expected < 0.999)
    np.testing.assert_allclose(found.probabilities[inside], expected[inside], atol=1e-12)
    assert ((found.probabilities > 0) & (found.probabilities < 1)).all()


def test_on_principal_codes_it_is_the_linear_decoder():
    _, Y, *_ = planted()
    encoder = PrincipalEncoder(2)
    codes = encoder.fit_transform(Y)
    inverse = InverseDecoder().fit(codes, Y, encoder=encoder).decision_function(codes)
    fitted = LinearDecoder().fit(codes, Y).decision_function(codes)
    np.testing.assert_allclose(inverse + 0.5, fitted, atol=1e-10)


def test_out_of_sample_probabilities_follow_from_the_codes_given():
    _, Y, *_ = planted()
    encoder = PrincipalEncoder(2)
    Y[4] = NAN
    codes = encoder.fit_transform(Y)
    left_out = 0.9 * codes
    decoder = InverseDecoder().fit(left_out, Y, encoder=encoder)
    rows, P, _ = decoder.out_of_sample()
    np.testing.assert_array_equal(rows, np.delete(np.arange(len(Y)), 4))
    np.testing.assert_array_equal(P, decoder.predict_proba(left_out[rows]))


def test_codes_without_a_linear_inverse_are_refused():
    _, Y, *_ = planted()
    encoder = FullCode().fit(Y)
    with pytest.raises(DataError, match=r"must have a linear encoder.*Use LinearDecoder"):
        InverseDecoder().fit(Y, Y, encoder=encoder)
    with pytest.raises(DataError, match="got None"):
        InverseDecoder().fit(Y, Y)
