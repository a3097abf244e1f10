"""A controller that fails at its first start, as when a port of its own was taken meanwhile."""

import os
import time
from typing import Any

from labkit.cluster import controller

WORDS = "zmq.error.ZMQError: Address already in use (addr='tcp://127.0.0.1:12345')"


def run(spec: dict[str, Any]) -> None:
    """Fail the first time, as `LABKIT_TEST_FAILS` says; afterwards be a controller."""
    lab_folder = os.path.dirname(spec["profile"])
    try:
        open(os.path.join(lab_folder, "failed"), "x").close()
    except FileExistsError:
        return controller.run(spec)
    print(WORDS, flush=True)
    if os.environ["LABKIT_TEST_FAILS"] == "in part":  # its heart monitor alone
        time.sleep(60)
    raise SystemExit(1)
