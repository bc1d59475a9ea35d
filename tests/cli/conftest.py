"""A command as a shell runs it: exit code, stdout and stderr."""

from __future__ import annotations

import pytest

from dlst.cli import main


@pytest.fixture
def run(capsys):
    def call(*arguments):
        code = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return call
