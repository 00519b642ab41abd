"""The examples of the README and of the book do what is written beside them, and draw their figures."""

import doctest
import os
import pathlib
import re
import shutil

import pytest

ROOT = pathlib.Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "python").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda it: it.name)
def test_examples(page, tmp_path, monkeypatch):
    text = page.read_text()
    blocks = re.findall(r"^```pycon\n(.*?)^```$", text, re.M | re.S)
    if page.name == "costs.md":
        assert not blocks
        return
    assert blocks
    figures = re.findall(r"savefig\(\"(.*?)\"\)", text)
    if figures:
        matplotlib = pytest.importorskip("matplotlib")
        matplotlib.use("svg")
        # The same file of the same plot.
        monkeypatch.setitem(matplotlib.rcParams, "svg.hashsalt", "cotan")
        monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    monkeypatch.chdir(tmp_path)
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page.name, str(page), 0)
    said = []
    assert doctest.DocTestRunner().run(test, out=said.append).failed == 0, "".join(said)
    for figure in figures:
        drawn = (tmp_path / figure).read_text()
        assert drawn.count("<path") > 5
        assert f"](figures/{figure})" in text
        assert (page.parent / "figures" / figure).exists()
        if "COTAN_FIGURES" in os.environ:
            shutil.copy(tmp_path / figure, os.environ["COTAN_FIGURES"])
