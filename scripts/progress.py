"""How far a long check is, for grid.py and compare_with_shardy.py."""

import sys
import time


class Progress:
    """One line that changes on a terminal; elsewhere one every ten seconds."""

    def __init__(self, part, total):
        self.part, self.total, self.done, self.last = part, total, 0, time.monotonic()
        self.start = self.last

    def step(self, text, count=1):
        self.done += count
        now = time.monotonic()
        is_last = self.done == self.total
        line = f"{self.part} {self.done}/{self.total} ({now - self.start:.0f} s): {text}"
        if sys.stdout.isatty():
            print(f"\r\x1b[K{line}", end="\n" if is_last else "", flush=True)
        elif is_last or now - self.last >= 10:
            self.last = now
            print(line, flush=True)
