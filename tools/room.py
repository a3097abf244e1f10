"""Print the tests that a change in one room of labkit is tried with first: seconds, not minutes.

python3 tools/room.py ROOM
"""

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent / "tests"

# Beside tests/pure/ROOM: what needs processes, a lab, or a browser. The quickest of each kind; the
# whole folders are for `make test`.
ALSO = {
    "analysis": ["processes/test_record.py"],
    "cli": ["lab/test_doctor.py"],
    "cluster": ["processes/test_supervisor.py", "lab/test_start.py"],
    "display": ["lab/test_same_text.py"],
    "draw": [],
    "engine": [
        *("processes/test_arrays.py", "processes/test_join.py", "processes/test_record.py"),
        *("processes/test_watchdog.py", "processes/test_telling_is_cheap.py", "lab/test_values.py"),
    ],
    "errors": [],
    "explore": ["lab/test_explorers.py"],
    "explorers": ["lab/test_explorers.py"],
    "facts": ["pure/text", "pure/draw"],
    "lab": ["lab/test_run.py", "lab/test_magic.py"],
    "lessons": ["lab/test_lessons.py", "lab/test_questions.py"],
    "page": ["browser/test_page.py"],
    "rows": ["processes/test_loader.py"],
    "text": ["processes/test_explain.py"],
    "training": ["processes/test_check_replicas.py"],
    "widgets": ["browser/test_stage.py", "browser/test_recording.py", "browser/test_timeline.py"],
}
ALWAYS = ["pure/test_rooms.py", "pure/test_references.py"]


def tests(room: str) -> list[str]:
    """Paths of a room's tests."""
    own = [name for name in (f"pure/{room}", f"pure/test_{room}.py") if (TESTS / name).exists()]
    return [f"tests/{name}" for name in (*own, *ALSO[room], *ALWAYS)]


if __name__ == "__main__":
    if sys.argv[1] not in ALSO:
        sys.exit(f"There is no room {sys.argv[1]!r}; the rooms are {', '.join(sorted(ALSO))}.")
    print(*tests(sys.argv[1]))
