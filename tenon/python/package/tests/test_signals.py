"""Ctrl-C (SIGINT) while a computation runs, in processes of their own."""

import subprocess
import sys
import textwrap

# Seconds, far above what a busy machine may take: what runs that long hangs.
HANG = 600

_START = '''
import os, signal, threading
import numpy as np
import tenon

signal.signal(signal.SIGINT, signal.default_int_handler)  # what a shell runs in the background ignores it
endless = tenon.compile("""
func.func @main(%n: tensor<i32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %five = stablehlo.constant dense<5> : tensor<i32>
  %mask = stablehlo.constant dense<65535> : tensor<i32>
  %t = stablehlo.create_token : !stablehlo.token
  %u = "stablehlo.outfeed"(%n, %t) : (tensor<i32>, !stablehlo.token) -> !stablehlo.token
  %r:2 = stablehlo.while(%i = %n, %s = %zero) : tensor<i32>, tensor<i32>
  cond {
    %p = stablehlo.compare GE, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %m = stablehlo.multiply %i, %five : tensor<i32>
    %next = stablehlo.and %m, %mask : tensor<i32>
    %sum = stablehlo.add %s, %i : tensor<i32>
    stablehlo.return %next, %sum : tensor<i32>, tensor<i32>
  }
  return %r#1 : tensor<i32>
}
""")

# Calls `send` once the program runs.
def when_it_runs(send):
    def wait():
        tenon.Client().transfer_from_outfeed("s32[]")
        send()
    threading.Thread(target=wait).start()
'''


def _run(program):
    code = _START + textwrap.dedent(program)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=HANG)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.split()


def test_ends_the_call():
    program = """
    when_it_runs(lambda: os.kill(os.getpid(), signal.SIGINT))
    try:
        endless(np.int32(3))
    except KeyboardInterrupt:
        print("interrupted")
    print(endless(np.int32(-3)))
    """
    assert _run(program) == ["interrupted", "0"]


def test_a_handler_that_raises_nothing_lets_the_call_go_on():
    program = """
    seen = []
    def handler(*_):
        seen.append(1)
        if len(seen) == 2:
            raise ValueError("twice")
    signal.signal(signal.SIGINT, handler)
    def send():
        os.kill(os.getpid(), signal.SIGINT)
        while not seen:
            pass
        os.kill(os.getpid(), signal.SIGINT)
    when_it_runs(send)
    try:
        endless(np.int32(3))
    except ValueError as error:
        print(error, len(seen))
    assert signal.getsignal(signal.SIGINT) is handler
    """
    assert _run(program) == ["twice", "2"]
