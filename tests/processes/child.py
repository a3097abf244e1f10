"""What a supervisor's child does in test_keeper, as its spec says."""

import os
import signal
import subprocess
import sys
import time
from typing import Any


def run(spec: dict[str, Any]) -> None:
    if "print" in spec:
        print(spec["print"], flush=True)
    if "exit" in spec:
        sys.exit(spec["exit"])
    if "raise" in spec:
        raise ValueError(spec["raise"])
    if "signal" in spec:
        os.kill(os.getpid(), signal.Signals[spec["signal"]])
    if "starts" in spec:
        print(subprocess.Popen(spec["starts"]).pid, flush=True)
    if "sleep" in spec:
        time.sleep(spec["sleep"])
