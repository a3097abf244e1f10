import json
import subprocess
import sys

from tests.source import modules

ASK = """
import json, sys, jax
from labkit.engine.recording import source_lines
print(json.dumps([file.startswith(source_lines._STRANGE) for file in json.loads(sys.argv[1])]))
"""


def test_no_line_of_labkits_own_counts_as_a_learners():
    files = [str(path) for path in modules()] + [__file__]
    command = [sys.executable, "-c", ASK, json.dumps(files)]
    *ours, this = json.loads(subprocess.check_output(command, text=True))
    assert all(ours)
    assert not this
