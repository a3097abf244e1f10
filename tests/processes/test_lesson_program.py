"""The program that lesson 00 shows in plain text does what the lesson says it does."""

import json
import re
import subprocess
import sys

import pytest

from labkit.cluster.ports import free_port
from tests.source import ROOT

CELLS = json.loads((ROOT / "notebooks" / "00_start_here.ipynb").read_text())["cells"]
TEXT = next("".join(cell["source"]) for cell in CELLS if cell["id"] == "00-plain")


@pytest.fixture
def terminals():
    program, address = re.search(r"```python\n(.*?)```", TEXT, re.DOTALL)[1], "127.0.0.1:9876"
    assert address in program
    program = program.replace(address, f"127.0.0.1:{free_port()}")
    commands = [[sys.executable, "-c", program, str(index)] for index in range(2)]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for command in commands]
    yield started
    for terminal in started:
        terminal.kill()
        terminal.communicate()


def test_two_terminals_print_what_the_lesson_says(terminals):
    said = re.findall(r"prints  (.*)", TEXT)
    assert said == ["process 0 of 2", "process 1 of 2"]
    for terminal, line in zip(terminals, said, strict=True):
        assert line in terminal.communicate(timeout=60)[0].splitlines()
