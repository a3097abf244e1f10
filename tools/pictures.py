"""Draw the README's picture from a real run: notebooks/images/psum.svg.

python tools/pictures.py
"""

from pathlib import Path

import labkit
from labkit.cli import experiments
from labkit.draw import Picture

PSUM = Path(__file__).resolve().parent.parent / "notebooks" / "images" / "psum.svg"


def psum(lab: labkit.Lab) -> Picture:
    """What `lab.show` draws of the psum question's two sums."""
    lab.run(experiments.PSUM)
    return lab.show("local_sum", "global_sum")


if __name__ == "__main__":
    PSUM.parent.mkdir(exist_ok=True)
    with labkit.start(processes=2, devices=4) as lab:
        psum(lab).save(PSUM)
    print(f"Drew {PSUM.name}")
