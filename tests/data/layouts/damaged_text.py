"""Small damages to small files, and what a reader may answer to them."""

from __future__ import annotations

from hypothesis import strategies as st

from dlst.errors import DataError

mutations = st.tuples(st.integers(0, 40), st.binary(max_size=12), st.integers(0, 6))


def mutated(whole, mutation):
    place, inserted, removed = mutation
    return whole[:place] + inserted + whole[place + removed :]


def outcome(read, *args):
    """Return the message of a documented error, or nothing; any other error passes."""
    try:
        read(*args)
    except DataError as error:
        return str(error)
    return ""
