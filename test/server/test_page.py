"""What docs/server.md says of models, line by line: its commands are run in a folder of their own."""

import json
import os
import pathlib
import re
import socket
import subprocess
import sys

import numpy as np

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/server.md"


def free_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return str(listening.getsockname()[1])


def test_the_commands_of_the_page(tmp_path):
    page = PAGE.read_text(encoding="utf-8")
    for port in ("8000", "8470"):  # which others may have on this machine
        page = page.replace(f"127.0.0.1:{port}", f"127.0.0.1:{free_port()}")
    section = page.split("\n## Models\n")[1].split("\n## ")[0]
    serve, ask = re.findall(r"^```sh\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    program, = re.findall(r"^```py\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    (tmp_path / "client.py").write_text(program)
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "tenon").symlink_to(os.environ["TENON_COMMAND"])
    # The server ends with the script.
    script = f"set -e\ntrap 'kill $!' EXIT\n{serve}\necho READY\n{ask}\necho\necho ANSWERED\n{sys.executable} client.py\n"
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"},
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    answers, printed = done.stdout.split("READY\n")[1].split("ANSWERED\n")
    decoder, values = json.JSONDecoder(), []
    while answers.strip():
        value, end = decoder.raw_decode(answers := answers.lstrip())
        values.append(value)
        answers = answers[end:]
    metadata, response = values
    assert metadata["inputs"] == [{"name": "image", "datatype": "FP32", "shape": [-1, 4]}]
    weights = np.array([[0.5, 1, 1.5, 2], [1, 1, 1, 1], [0, 1, 0, 1], [2, 0, 0, 2]])
    assert response["outputs"][0]["data"] == (np.array([1, 2, 3, 4]) @ weights).tolist()
    assert printed == str(weights[:2].astype(np.float32)) + "\n"
