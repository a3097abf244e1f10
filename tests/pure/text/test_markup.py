"""Elements around texts and around markup, and that no other code writes a tag."""

import ast
import re
from base64 import b64decode

import pytest

from labkit.text.markup import bundle_uri, data_uri, element, empty, image, marked, worded
from tests.source import docstring_lines, imports, modules, name_of

WRITERS = {"labkit.text.markup", "labkit.draw.svg", "labkit.page.document"}
"""What may write tags: this module, the marks of pictures, and the frame of a page."""

# In these a pointed bracket is of no markup: of a repr, of a function's or a file's name.
OTHERS = {"labkit.engine.arrays.describe", "labkit.engine.recording.source_lines"}
OTHERS |= {"labkit.lab.validation"}


def written(path):
    """The strings of a module, without its docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    told = {line for node in ast.walk(tree) for line in docstring_lines(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from [node.value] * (node.lineno not in told)


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_a_tag_is_written_where_texts_are_escaped_and_nowhere_else(path):
    tags = [text for text in written(path) if re.search(r"</?[a-z]", text)]
    assert not tags or name_of(path) in WRITERS | OTHERS


def test_texts_are_escaped_by_one_module():
    assert [name_of(path) for path in modules() if "html" in imports(path)] == [
        "labkit.text.markup"
    ]


def test_a_text_is_escaped_and_markup_is_not():
    assert worded("p", 'a < b & "c"') == "<p>a &lt; b &amp; &quot;c&quot;</p>"
    assert element("p", worded("b", "x"), " ", worded("i", "y")) == "<p><b>x</b> <i>y</i></p>"
    assert empty("rect", rx="8") == '<rect rx="8"/>'


def test_attributes_are_escaped_and_keep_their_order_and_their_lines():
    made = element("td", style="a:b", class_="x", data_of='<\n">')
    assert made == '<td style="a:b" class="x" data-of="&lt;&#10;&quot;&gt;"></td>'


def test_backticks_mark_code_and_lines_are_broken():
    assert marked("run `a < b`\nthen `c`") == "run <code>a &lt; b</code><br>then <code>c</code>"
    assert marked("one ` alone") == "one ` alone"


def test_an_address_has_the_content_in_itself():
    assert data_uri("image/png", b"\x00") == "data:image/png;base64,AA=="
    head, _, data = bundle_uri("image/svg+xml", ["<svg/>", "\n"]).partition(",")
    assert (head, b64decode(data)) == ("data:image/svg+xml;base64", b"<svg/>\n")
    assert bundle_uri("image/png", "AA\n==\n") == bundle_uri("image/png", b"\x00")


def test_what_is_no_address_does_not_leave_its_quotes():
    made = image('a "picture"', bundle_uri("image/png", '"><script>'), style="b:c")
    assert made == (
        '<img alt="a &quot;picture&quot;" style="b:c" '
        'src="data:image/png;base64,&quot;&gt;&lt;script&gt;">'
    )
