"""The cell magic of notebooks."""

import pytest

import cotan

interactive = pytest.importorskip("IPython.core.interactiveshell")


@pytest.fixture
def shell(monkeypatch, tmp_path):
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    made = interactive.InteractiveShell.instance()
    made.extension_manager.load_extension("cotan")
    yield made
    interactive.InteractiveShell.clear_instance()


def test_a_cell(shell, capsys):
    shell.run_cell_magic("cotan", "", "def twice(x: Real): Real = 2.0 * x\n")
    assert shell.user_ns["twice"](3.0) == 6.0 and "Some" not in shell.user_ns
    shell.run_cell_magic("cotan", "m", "def thrice(x: Real): Real = 3.0 * x\n")
    assert cotan.grad(shell.user_ns["m"].thrice)(1.0) == 3.0
    shell.run_cell_magic("cotan", "", "def wrong(x: Real): Int = x\n")
    assert "E0301" in capsys.readouterr().err
    shell.run_cell_magic("cotan", "no name", "def f = 1\n")
    assert "no name for a module" in capsys.readouterr().err
