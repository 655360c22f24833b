"""Where the time of runs goes."""

import json
import os
import pathlib
from typing import Any

from tenon import _tenon


class profile:
    """Records what runs in this process, on all threads, while the block runs.

        with tenon.profile() as taken:
            f(x)
        print(taken)                               # a table
        taken.save("page.html")                    # or .trace.json for Perfetto, .json, .txt
        worst = min(taken.kernels, key=lambda kernel: kernel["share_of_limit"] or 1)

    One at a time. What a server runs is not seen. The end of the first one in a process measures the machine's limits, which
    takes about half a second.
    """

    def __init__(self) -> None:
        self._profiler: Any = None
        self._profile: Any = None
        self._data: dict[str, Any] = {}

    def __enter__(self) -> "profile":
        if self._profiler or self._profile:
            raise RuntimeError("a profile is taken once: make another one")
        self._profiler = _tenon._Profiler.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._profile = self._profiler.stop()
        self._profiler = None
        self._data = json.loads(self._profile.to_json())

    def _taken(self) -> Any:
        if self._profile is None:
            raise RuntimeError("the profile has not been taken yet: its block has not ended")
        return self._profile

    @property
    def data(self) -> dict[str, Any]:
        """All of it but the events; docs/profiling.md has the keys."""
        self._taken()
        return self._data

    @property
    def kernels(self) -> list[dict[str, Any]]:
        """A row for each kernel and line of the program, the one that takes the most time first."""
        return self.data["kernels"]

    @property
    def machine(self) -> dict[str, Any]:
        """The machine's limits."""
        return self.data["machine"]

    def to_html(self) -> str:
        """A page for the browser that loads nothing."""
        return self._taken().to_html()

    def to_trace(self) -> str:
        """The events for Perfetto, as JSON."""
        return self._taken().to_trace()

    def to_json(self) -> str:
        return self._taken().to_json()

    def __str__(self) -> str:
        return self._taken().to_text()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it in the form that the name ends in: .html, .trace.json for Perfetto, .json, else the table."""
        name = os.fspath(path)
        if name.endswith(".html"):
            text = self.to_html()
        elif name.endswith(".trace.json"):
            text = self.to_trace()
        else:
            text = self.to_json() if name.endswith(".json") else str(self)
        pathlib.Path(name).write_text(text, encoding="utf-8")
