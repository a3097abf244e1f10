"""What of a terminal's output is text."""

import pytest

from labkit.text.outputs import ANSI


@pytest.mark.parametrize(
    "written",
    [
        "\x1b[31mred\x1b[0m",
        "\x1b[?25lred\x1b[?25h",
        "\x1b[38:5:196mred\x1b[m",
        "\x1b[2 qred",
        "\x1b]0;a title\x07red",
        "\x1b]8;;http://a.b\x1b\\red\x1b]8;;\x1b\\",
        "\x1b]8;;http://a.b\x07red\x1b]8;;\x07",
    ],
)
def test_commands_to_a_terminal_are_no_text(written):
    assert ANSI.sub("", written) == "red"


@pytest.mark.parametrize("plain", ["a[0] = b[1]", "[31m", "x]0;y"])
def test_brackets_alone_are_text(plain):
    assert ANSI.sub("", plain) == plain
