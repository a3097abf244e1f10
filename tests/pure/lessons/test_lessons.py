import numpy as np
import pytest

from labkit import facts
from labkit.display.results import Results
from labkit.errors import LabError, NotArrived, ProcessError, ProcessLost, Unsafe
from labkit.lessons import catalog, check, hint, progress, questions, score, solution
from labkit.lessons.lab_queries import brief, each, expect

PROCESSES = tuple(
    facts.Process(p, 2, tuple(facts.Device(p, d) for d in range(4)), 8) for p in range(2)
)
LABELS = [device.label for process in PROCESSES for device in process.devices]
STUB = facts.Thing("ellipsis", "Ellipsis")
LAST = {"p0·d3": np.arange(3), "p1·d3": 10 + np.arange(3)}


class FakeLab:
    """Answers like a lab, from what a test wrote down."""

    state = "ready"
    processes = PROCESSES

    def __init__(self, variables=(), values=(), run=lambda source: {}, why=""):
        self._variables, self._values = dict(variables), dict(values)
        self._run, self._why = run, why

    def facts(self, name):
        if name not in self._variables:
            raise LabError(f"No process has a name {name!r}.")
        return self._variables[name]

    def values(self, name):
        return self._values[name]

    def run(self, source, deadline):
        return Results(self._run(source), (), self._why)


class Broken(FakeLab):
    """A lab in which every question ends in this error."""

    def __init__(self, error):
        super().__init__()
        self._error = error

    def facts(self, name):
        raise self._error


def own_arrays(name):
    views = tuple(facts.View((p,), facts.Array((3,), "int32")) for p in range(2))
    return {name: facts.Variable(name, views)}


def function(name):
    there = facts.View((0, 1), facts.Thing("function", f"<function {name}>"))
    return {name: facts.Variable(name, (there,))}


def one_array(name, **fields):
    array = facts.Array((16,), "int32", **{"spans": True, **fields})
    return {name: facts.Variable(name, (facts.View((0, 1), array),))}


def mesh(*shape):
    return facts.Mesh(("process", "device")[: len(shape)], shape, tuple(LABELS))


@pytest.fixture(autouse=True)
def a_kernel_just_started(monkeypatch):
    for place, name in ((score, "tries"), (score, "hinted"), (questions, "committed")):
        monkeypatch.setattr(place, name, {})
    monkeypatch.setattr(score, "begun", set())
    monkeypatch.setattr(questions, "_offered", {})
    monkeypatch.setattr(questions, "_answered", set())


class TestCheck:
    def test_right_values_are_right(self):
        card = check("00.1", FakeLab(own_arrays("last"), {"last": LAST}))
        assert card.status == "right"
        assert "1 try" in repr(card)

    def test_wrong_values_are_named_with_their_device(self):
        values = {**LAST, "p1·d3": np.array([7, 7, 7])}
        card = check("00.1", FakeLab(own_arrays("last"), {"last": values}))
        assert card.status == "wrong"
        assert "p1·d3: found [7 7 7], expected [10 11 12]" in card.text
        assert "p0·d3" not in card.text

    def test_a_value_on_another_device_is_wrong(self):
        values = {"p0·d0": np.arange(3), "p1·d3": 10 + np.arange(3)}
        card = check("00.1", FakeLab(own_arrays("last"), {"last": values}))
        assert card.status == "wrong"
        assert "p0·d3 holds nothing" in card.text
        assert "p0·d0 holds [0 1 2]; expected nothing there" in card.text

    def test_an_untouched_stub_is_not_attempted_and_no_try(self):
        stub = {"last": facts.Variable("last", (facts.View((0, 1), STUB),))}
        assert check("00.1", FakeLab(stub)).status == "not attempted"
        assert score.state("00.1") == "open"

    def test_a_name_that_no_process_has_is_not_attempted(self):
        assert check("00.1", FakeLab()).status == "not attempted"

    def test_a_function_that_no_process_has_is_not_attempted(self):
        for exercise in ("01.1", "02.2"):
            assert check(exercise, FakeLab()).status == "not attempted"

    def test_a_name_that_one_process_lacks_is_wrong(self):
        half = facts.Variable("last", own_arrays("last")["last"].views[:1], missing=(1,))
        card = check("00.1", FakeLab({"last": half}, {"last": LAST}))
        assert card.status == "wrong"
        assert "missing in process 1" in card.text

    @pytest.mark.parametrize(
        "error",
        [
            NotArrived("process 1 did not come"),
            Unsafe("out of step"),
            ProcessLost("process 1 is gone"),
            KeyboardInterrupt(),
        ],
        ids=lambda error: type(error).__name__,
    )
    def test_a_wait_that_did_not_end_is_hung_and_says_what_to_do(self, error):
        card = check("00.1", Broken(error))
        assert card.status == "hung"
        assert "lab.reset()" in card.text
        assert score.state("00.1") == "tried"

    def test_values_not_to_be_trusted_are_hung_even_when_right(self):
        def everywhere(source):
            # The check brings 0…7 and 100…107: twice [12 16], and 100 from each of 4 devices.
            return {process: [424, 432] for process in (0, 1)}

        total = function("total")
        assert check("01.1", FakeLab(total, run=everywhere)).status == "right"
        assert check("01.1", FakeLab(total, run=everywhere, why="out of step")).status == "hung"

    def test_an_exception_in_a_process_is_an_error_with_its_words(self):
        failure = facts.Failure("ZeroDivisionError", "division by zero")
        card = check("00.1", Broken(ProcessError({1: failure})))
        assert card.status == "error"
        assert "process 1: ZeroDivisionError: division by zero" in card.text

    def test_a_stopped_lab_is_an_error_and_not_an_open_stub(self):
        lab = Broken(LabError("This lab was stopped."))
        lab.state = "stopped"
        assert check("00.1", lab).status == "error"

    def test_no_lab_is_an_error_that_says_how_to_start_one(self):
        card = check("00.1")
        assert card.status == "error"
        assert "labkit.start()" in card.text

    def test_what_a_check_cannot_read_still_ends_in_a_verdict(self):
        card = check("00.1", FakeLab(own_arrays("last"), {"last": None}))
        assert card.status == "error"

    def test_an_unknown_exercise_is_refused_with_those_there_are(self):
        with pytest.raises(LabError, match=r"lesson 01 has 01\.1, 01\.2"):
            check("01.9")
        with pytest.raises(LabError, match="00, 01, 02"):
            check("seven")


class TestLessonChecks:
    def test_one_array_over_all_devices(self):
        values = {label: np.array([2 * i, 2 * i + 1]) for i, label in enumerate(LABELS)}
        assert check("00.2", FakeLab(one_array("whole"), {"whole": values})).status == "right"
        apart = FakeLab(one_array("whole", spans=False), {"whole": values})
        assert "an array of its own in each process" in check("00.2", apart).text

    def test_a_total_that_adds_up_one_process_only_is_wrong(self):
        answers = {0: [12, 16], 1: [412, 416]}
        card = check("01.1", FakeLab(function("total"), run=lambda source: answers))
        assert card.status == "wrong"
        assert "process 0: found [12 16], expected [424 432]" in card.text

    def test_sums_per_process_must_come_from_one_mesh_of_all_devices(self):
        sums = {label: np.array([12, 16] if label[1] == "0" else [44, 48]) for label in LABELS}
        right = FakeLab(one_array("per_process", mesh=mesh(2, 4)), {"per_process": sums})
        assert check("01.2", right).status == "right"
        half = facts.Mesh(("i",), (4,), tuple(LABELS[:4]))
        local = FakeLab(one_array("per_process", mesh=half), {"per_process": sums})
        assert "a mesh of all 8 devices" in check("01.2", local).text

    def test_equal_copies(self):
        a = {"p0·d0": np.zeros(4), "p1·d0": np.ones(4)}
        lab = FakeLab(one_array("same"), {"a": a, "same": a})
        lab.processes = tuple(facts.Process(p, 2, (facts.Device(p, 0),), 2) for p in range(2))
        assert "p1·d0: found [1. 1. 1. 1.]" in check("02.1", lab).text
        lab._values["same"] = dict.fromkeys(a, np.zeros(4))
        assert check("02.1", lab).status == "right"

    def test_finding_who_differs_is_tried_on_equal_and_on_different_copies(self):
        asked = []

        def always(found):
            return lambda source: asked.append(source) or {0: found, 1: found}

        def given(found):
            return check("02.2", FakeLab(function("differing"), run=always(found)))

        never = given([])
        assert never.status == "wrong"
        assert "differ everywhere" in never.text
        assert "With equal copies" in given([1]).text
        assert given(None).status == "not attempted"
        assert len(asked) == 4


class TestHint:
    def test_hints_come_one_at_a_time_and_in_order(self):
        hints = catalog.exercise("00.1").hints
        for number, words in enumerate(hints, 1):
            card = hint("00.1")
            assert f"Hint {number} of {len(hints)}" in card.head
            assert words in card.text
        assert "last one" in card.text
        assert hints[-1] in hint("00.1").text

    def test_every_exercise_has_hints(self):
        for number in catalog.LESSONS:
            assert all(exercise.hints for exercise in catalog.lesson(number).EXERCISES)


class TestProgress:
    def test_it_tells_right_from_tried_from_open(self):
        check("00.1", FakeLab(own_arrays("last"), {"last": {}}))
        assert "00.1 An array on the last device of each process: tried (1 try)" in repr(progress())
        hint("00.1")
        check("00.1", FakeLab(own_arrays("last"), {"last": LAST}))
        text = repr(progress())
        assert "1 of 2 exercises right" in text
        assert "right (2 tries, 1 hint)" in text
        assert "00.2 One array over all devices, two numbers on each: open" in text

    def test_right_once_stays_right(self):
        check("00.1", FakeLab(own_arrays("last"), {"last": LAST}))
        check("00.1", FakeLab(own_arrays("last"), {"last": {}}))
        assert score.state("00.1") == "right"
        assert score.effort("00.1") == "1 try"

    def test_it_lists_the_lessons_begun(self):
        check("01.1", FakeLab())
        text = repr(progress())
        assert "01.1" in text
        assert "00.1" not in text

    def test_with_nothing_begun_it_lists_every_lesson(self):
        assert all(f"{number}.1" in repr(progress()) for number in catalog.LESSONS)


class TestWords:
    def test_equal_values_say_nothing(self):
        expect({"p0·d0": [1, 2]}, {"p0·d0": np.array([1, 2])})

    def test_many_differences_are_counted(self):
        with pytest.raises(Exception, match="and 5 more"):
            expect(dict.fromkeys(LABELS, 1), dict.fromkeys(LABELS, 2))

    def test_values_of_a_process_are_named_once(self):
        sums = {label: np.array([12, 16] if label[1] == "0" else [44, 48]) for label in LABELS}
        assert each(sums) == "p0: [12 16], p1: [44 48]"
        assert each(dict.fromkeys(LABELS, np.array([56, 64]))) == "[56 64] everywhere"
        assert each({"p0·d0": 1, "p0·d1": 2, "p1·d0": 1}) == "p0: 1 or 2, p1: 1"

    def test_a_long_value_is_shortened(self):
        assert brief(np.arange(100)) == "[0 1 2 3 ... 96 97 98 99]"

    def test_html_is_escaped_and_code_is_marked(self):
        card = check("00.1", Broken(ProcessError({1: facts.Failure("E", "<Mesh> of `x`")})))
        assert "&lt;Mesh&gt; of <code>x</code>" in card._repr_html_()


class TestSolution:
    def test_a_solution_is_shown_folded_and_not_run(self):
        from IPython.core.interactiveshell import InteractiveShell

        from labkit.lessons import load

        shell = InteractiveShell.instance()
        load(shell)
        load(shell)
        shown = shell.run_cell_magic("solution", "01.2", "ran = 1 < 2\n")
        assert "ran" not in shell.user_ns
        assert repr(shown).endswith("ran = 1 < 2")
        assert "<details>" in shown._repr_html_()
        assert "1 &lt; 2" in shown._repr_html_()
        assert isinstance(shown, solution.Solution)
