"""What imports models, and what an import gives."""

import dataclasses
import os
import pathlib
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from tenon.importing.tracing import Input


@dataclasses.dataclass(frozen=True)
class ImportedModel:
    """A StableHLO program, for tenon.compile and every command. Its parameters and results are in the order of `inputs` and
    `outputs`, the model's names for them."""

    artifact: bytes
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    def save(self, path: str | os.PathLike) -> None:
        pathlib.Path(path).write_bytes(self.artifact)


class Importer(Protocol):
    """A model of another framework that was read; `path` is what errors call it."""

    path: str
    inputs: "list[Input]"

    def program(self, shapes: dict[str, Any], sizes: dict[str, int], values: dict[str, Any]) -> ImportedModel: ...
