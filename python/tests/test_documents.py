"""The examples of the README and of the book do what is written beside them."""

import doctest
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "python").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda it: it.name)
def test_examples(page):
    blocks = re.findall(r"^```pycon\n(.*?)^```$", page.read_text(), re.M | re.S)
    assert blocks
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page.name, str(page), 0)
    said = []
    assert doctest.DocTestRunner().run(test, out=said.append).failed == 0, "".join(said)
