"""Several OS processes with JAX, for tests.

Each runs a program of the test's, behind a start that connects them. What it prints are the results: a line each.
"""

import os
import socket
import subprocess
import sys
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
        self.processes = [
            subprocess.Popen(
                command + [str(i)],
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for i in range(count)
        ]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.communicate()

    def signal(self, process, number):
        os.kill(self.processes[process].pid, number)

    def pid(self, process):
        return self.processes[process].pid

    def line(self, process):
        """The next that it has printed."""
        line = self.processes[process].stdout.readline()
        assert line, self.processes[process].stderr.read()
        return line.rstrip("\n")

    def results(self, process, status=0):
        """All other lines, when it has ended."""
        output, errors = self.processes[process].communicate(timeout=_LONGEST)
        assert self.processes[process].returncode == status, f"process {process}: {output}\n{errors}"
        return output.splitlines()


def run(environment, program, count=2, devices=4):
    """What each process has printed."""
    with Job(environment, program, count, devices) as job:
        return [job.results(i) for i in range(count)]
