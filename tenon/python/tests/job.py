"""Several OS processes with JAX, for tests.

Each runs a program of the test's, behind a start that connects them. What it prints are the results: a line each.
"""

import os
import socket
import subprocess
import sys
import tempfile
import textwrap

_START = """
import os
import sys
import jax
jax.distributed.initialize(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), initialization_timeout=60)
import numpy as np
import jax.numpy as jnp

def say(*words):
    print(*words, flush=True)

def leave():
    # Ends the process where JAX's end would wait for others. Process 0 serves them, and stays until all have been heard.
    if sys.argv[3] == "0":
        sys.stdin.read()
    os._exit(0)
"""

# A test that hangs ends; it is never waited for where all goes well.
_LONGEST = 240


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Job:
    def __init__(self, environment, program, count=2, devices=4):
        address = f"127.0.0.1:{free_port()}"
        environment = dict(environment, TENON_NUM_DEVICES=str(devices), PYTHONFAULTHANDLER="1")
        command = [sys.executable, "-c", _START + textwrap.dedent(program), address, str(count)]
        self.errors = [tempfile.TemporaryFile("w+") for _ in range(count)]
        self.processes = [
            subprocess.Popen(
                command + [str(i)],
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self.errors[i],
                text=True,
            )
            for i in range(count)
        ]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process, errors in zip(self.processes, self.errors, strict=True):
            process.kill()
            process.wait()
            process.stdin.close()
            process.stdout.close()
            errors.close()

    def signal(self, process, number):
        os.kill(self.processes[process].pid, number)

    def pid(self, process):
        return self.processes[process].pid

    def line(self, process):
        """The next that it has printed."""
        line = self.processes[process].stdout.readline()
        assert line, self._said(process)
        return line.rstrip("\n")

    def results(self, process, status=0):
        """All other lines, when it has ended. To be asked of process 0 last."""
        child = self.processes[process]
        child.stdin.close()
        code = child.wait(timeout=_LONGEST)  # they say less than a pipe holds
        output = child.stdout.read()
        assert code == status, f"process {process}: {output}\n{self._said(process)}"
        return output.splitlines()

    def _said(self, process):
        self.errors[process].seek(0)
        return self.errors[process].read()


def run(environment, program, count=2, devices=4):
    """What each process has printed."""
    with Job(environment, program, count, devices) as job:
        return [job.results(i) for i in reversed(range(count))][::-1]
