"""What an import gives."""

import dataclasses
import os
import pathlib


@dataclasses.dataclass(frozen=True)
class ImportedModel:
    """A StableHLO program, for tenon.compile and every command. Its parameters and results are in the order of `inputs` and
    `outputs`, the model's names for them."""

    artifact: bytes
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    def save(self, path: str | os.PathLike) -> None:
        pathlib.Path(path).write_bytes(self.artifact)
