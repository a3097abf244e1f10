import base64
import re
from html.parser import HTMLParser

import pytest

from labkit import draw
from labkit.facts import Failure, Output
from tests.pure.made import processes

TWO, FOUR, EIGHT = processes(2), processes(4), processes(8)
HOSTILE = '<img src=x onerror=alert(1)>&"'
FAILED = Failure(
    "ZeroDivisionError",
    "division by zero",
    (("cell 3", 2, "    y = f(0)"), ("cell 2", 5, "    return 1 / n")),
    "Traceback (most recent call last):\n  everything",
)


def said(*texts: str) -> list[Output]:
    return [Output(process, text) for process, text in enumerate(texts)]


def gave(*values: str) -> list[Output]:
    return [Output(p, result={"text/plain": value}) for p, value in enumerate(values)]


class Balanced(HTMLParser):
    """Checks that every element that is opened is closed, in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open, self.tags = [], []
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag not in {"img", "br"}:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


class TestFolding:
    def test_equal_outputs_are_one_column(self):
        assert draw.columns(gave("6", "6"), TWO).text == "all 2 processes\n  6"

    def test_some_that_are_equal_share_a_column(self):
        picture = draw.columns(gave("6", "2010", "6", "6"), FOUR)
        assert picture.text == "processes 0, 2, 3\n  ≠ 6\nprocess 1\n  ≠ 2010"

    def test_a_cell_on_some_processes_is_not_called_all(self):
        assert draw.columns(gave("6", "6"), FOUR).text == "processes 0, 1\n  6"

    def test_a_lab_of_one_process_is_not_called_all(self):
        assert draw.columns(gave("6"), processes(1)).text == "process 0\n  6"

    def test_columns_stand_in_order_of_process(self):
        picture = draw.columns(list(reversed(gave("0", "1"))), TWO)
        assert picture.text.index("process 0") < picture.text.index("process 1")
        assert re.findall(r'data-processes="([^"]*)"', picture.html) == ["0", "1"]

    def test_an_exception_is_folded_even_if_tracebacks_hold_other_addresses(self):
        errors = [Failure("E", "m", (), f"at 0x{address}") for address in (1, 2)]
        picture = draw.columns([Output(p, error=e) for p, e in enumerate(errors)], TWO)
        assert picture.text == "all 2 processes\n  E: m"

    def test_output_of_another_kind_is_not_folded(self):
        both = [gave("6")[0], Output(1, result={"text/plain": "6"}, status="waiting")]
        assert "all" not in draw.columns(both, TWO).text

    def test_no_output_is_said(self):
        assert draw.columns(said("", ""), TWO).text == "all 2 processes: no output"


class TestDifferences:
    def test_lines_that_differ_are_marked_and_common_ones_are_not(self):
        picture = draw.columns(said("same\nmine\n", "same\nyours\n"), TWO)
        assert picture.text == "process 0\n    same\n  ≠ mine\nprocess 1\n    same\n  ≠ yours"

    def test_a_line_more_does_not_mark_those_after_it(self):
        picture = draw.columns(said("a\nb\n", "new\na\nb\n"), TWO)
        assert [line for line in picture.text.splitlines() if "≠" in line] == ["  ≠ new"]

    def test_they_are_marked_by_a_sign_and_not_by_colour_alone(self):
        picture = draw.columns(said("mine", "yours"), TWO)
        assert len(re.findall(r"≠\u00a0</span>(?:mine|yours)", picture.html)) == 2

    def test_nothing_is_marked_where_all_agree(self):
        assert "≠" not in draw.columns(gave("6", "6"), TWO).html


class TestErrors:
    def test_a_failure_shows_the_learner_s_lines_then_its_type_and_message(self):
        text = draw.columns([Output(0, error=FAILED), Output(1)], TWO).text
        assert text == (
            "process 0\n"
            "  cell 3, line 2:  y = f(0)\n"
            "  cell 2, line 5:  return 1 / n\n"
            "  ZeroDivisionError: division by zero\n"
            "process 1: no output"
        )

    def test_the_whole_traceback_is_folded_away(self):
        html = draw.columns([Output(0, error=FAILED)], TWO).html
        before, after = html.split("<details>")
        assert "Traceback" not in before
        assert "Traceback (most recent call last)" in after
        assert before.count("ZeroDivisionError") == 1

    def test_a_failure_without_traceback_has_nothing_to_unfold(self):
        assert "<details>" not in draw.columns([Output(0, error=Failure("E", "m"))], TWO).html


class TestRich:
    def test_html_is_shown_as_html(self):
        bundle = {"text/html": "<b>bold</b>", "text/plain": "bold"}
        picture = draw.columns([Output(0, result=bundle)], TWO)
        assert "<b>bold</b>" in picture.html
        assert "  bold" in picture.text

    def test_plain_text_is_never_taken_for_html(self):
        html = draw.columns(gave("<b>not bold</b>"), TWO).html
        assert "<b>" not in html
        assert "&lt;b&gt;not bold&lt;/b&gt;" in html

    def test_a_png_becomes_data(self):
        bundle = {"image/png": "iVBORw0KGgo=\n", "text/plain": "<Figure size 10x10>"}
        html = draw.columns([Output(0, displays=(bundle,))], TWO).html
        assert 'src="data:image/png;base64,iVBORw0KGgo="' in html
        assert 'alt="&lt;Figure size 10x10&gt;"' in html

    def test_an_svg_becomes_an_image_that_cannot_run_anything(self):
        svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>'
        html = draw.columns([Output(0, displays=({"image/svg+xml": svg},))], TWO).html
        [data] = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', html)
        assert base64.b64decode(data).decode() == svg
        assert "<svg" not in html

    def test_an_image_without_words_is_named_by_its_kind(self):
        picture = draw.columns([Output(0, displays=({"image/png": "AA=="},))], TWO)
        assert picture.text == "process 0\n  (image/png)"


class TestText:
    def test_what_a_learner_printed_is_escaped(self):
        failure = Failure(HOSTILE, HOSTILE, ((HOSTILE, 1, HOSTILE),), HOSTILE)
        output = Output(0, HOSTILE, (), {"text/plain": HOSTILE}, failure, HOSTILE)
        html = draw.columns([output], TWO, why=HOSTILE).html
        assert "<img" not in html
        Balanced(html)

    def test_colours_of_a_terminal_are_taken_out(self):
        assert draw.columns(said("\x1b[31mred\x1b[0m"), TWO).text == "process 0\n  red"

    def test_of_a_progress_bar_the_last_state_remains(self):
        assert draw.columns(said("10%\r50%\r100%\n"), TWO).text == "process 0\n  100%"

    def test_a_status_is_shown(self):
        picture = draw.columns([Output(0, "hello\n", status="waiting for process 1 (3 s)")], TWO)
        assert picture.text.endswith("  … waiting for process 1 (3 s)")
        assert "waiting for process 1 (3 s)" in picture.html

    def test_a_reason_not_to_trust_it_stands_on_top(self):
        picture = draw.columns(gave("6", "6"), TWO, why="out of step")
        assert picture.text.startswith("not to be trusted: out of step\n")
        assert picture.html.index("not to be trusted: out of step") < picture.html.index("<table")


class TestTable:
    @pytest.mark.parametrize(
        ("count", "length", "across"), [(2, 5, 2), (8, 5, 4), (8, 24, 3), (8, 80, 2)]
    )
    def test_many_processes_wrap_into_rows(self, count, length, across):
        lines = [f"{p}" + "x" * length for p in range(count)]
        html = draw.columns(gave(*lines), processes(count)).html
        rows = [row.count("<td") for row in html.split("<tr")[1:]]
        assert rows == [across] * -(-count // across)

    def test_is_sound_html_without_style_sheet_or_script(self):
        html = draw.columns([Output(0, "a", error=FAILED), Output(1, "b")], TWO, why="so").html
        assert not {"style", "script", "svg"} & set(Balanced(html).tags)

    def test_a_notebook_gets_the_table_and_the_words(self):
        picture = draw.columns(gave("6", "6"), TWO)
        bundle = picture._repr_mimebundle_()
        assert bundle == {"text/plain": picture.text, "text/html": picture.html}
        assert picture.svg == picture.bare == ""
