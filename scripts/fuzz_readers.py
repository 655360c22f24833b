#!/usr/bin/env python3
"""Runs the readers' fuzzers (test/fuzz/readers) for some time, each from a corpus that begins with the test data.

What is found is made smaller and kept in the folder for findings; the exit status is then 1. The corpus stays in the
build folder, so that the next run begins where this one ended.

With --fixed the inputs are damaged test data, the same each time whatever the readers do with them: libFuzzer's own
depend on every change to the code, which would be blamed for faults that it has nothing to do with.
"""

import argparse
import hashlib
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
MAX_SEED_BYTES = 8192

# Reader, its part of the time, whether it reads programs as text or in binary form. Two runs share one program.
READERS = [
    ("program", "text", 0.36),
    ("program", "bytecode", 0.34),
    ("executable", "", 0.05),
    ("compile_options", "", 0.05),
    ("sharding", "", 0.05),
    ("npy", "", 0.05),
    ("frames", "", 0.05),
    ("inference", "", 0.05),
]


def program_texts():
    """The programs in the repository's test data, one a seed."""
    for pattern in ("tenon/**/*.mlir", "test/**/*.mlir", "examples/**/*.mlir"):
        for path in sorted(ROOT.glob(pattern)):
            for part in re.split(r"^// -----.*\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE):
                # Functions alone are programs, too, and small ones are worth more.
                functions = re.split(r"^(?=func\.func )", part, flags=re.MULTILINE)
                yield from functions if len(part) > 2000 and "call @" not in part else [part]


def sharding_texts():
    for path in sorted(ROOT.glob("tenon/**/*")):
        if path.suffix in (".cpp", ".py", ".mlir"):
            for match in re.finditer(r"\{(?:devices|replicated|maximal|manual)[^\"\n]*\}", path.read_text(encoding="utf-8")):
                yield match.group(0)


def npy_files():
    for name, shape, data in (("<f4", "(2, 3)", 24), (">c16", "()", 16), ("|b1", "(5,)", 5), ("|V2", "(2, 2)", 8)):
        for order in (False, True):
            header = f"{{'descr': '{name}', 'fortran_order': {order}, 'shape': {shape}, }}\n".encode()
            yield b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(range(1, data + 1))


def compile_options():
    """xla.CompileOptionsProto, of fields as (number, contents)."""
    def varint(value):
        return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + varint(value >> 7)

    def message(*fields):
        return b"".join(varint(number << 3) + varint(value) if isinstance(value, int)
                        else varint(number << 3 | 2) + varint(len(value)) + value for number, value in fields)

    assignment = message((1, 2), (2, 2), (3, message((1, bytes([0, 1])))), (3, message((1, 2), (1, 3))))
    yield message((3, message((4, 2), (5, 2), (6, 1), (9, assignment), (12, bytes([1])), (18, bytes([0, 1])), (19, 1))))
    for value in (message((1, b"text")), message((2, 1)), message((3, 1 << 40))):
        yield message((7, message((1, b"xla_cpu_enable_fast_math"), (2, value))), (2, 0), (4, b""))


def executables():
    """Empty fields: how many there are and which must not be, the fuzzer finds out."""
    return [bytes(8 * count) for count in range(20, 40)]


def frames():
    """Of a job's messages (tenon/runtime/transport/frame.h): what the other process may send, in an order that it may have."""
    def frame(kind, lane, size=0, code=0, offset=0, behind=b""):
        numbers = [0, 1, 2, 3, size, offset]  # of the message, launch, collective, hash, bytes, place
        header = b"TNF1" + bytes([kind, code, 0, 0])
        header += b"".join(number.to_bytes(4, "little") for number in (len(behind), *lane, 0))
        header += b"".join(number.to_bytes(8, "little") for number in numbers) + behind
        return len(header).to_bytes(2, "little") + header

    ready, data = frame(1, (0, 0), 16, behind=b"exchange"), frame(2, (0, 0), 16, behind=b"x" * 16)
    yield ready + frame(1, (1, 0), 16) + data + frame(2, (0, 1), 16, behind=b"x" * 16)
    yield frame(2, (0, 0), 16, behind=b"x" * 7) + frame(2, (0, 0), 16, offset=7, behind=b"x" * 9)
    yield frame(3, (0, 0), 16, code=10, behind=b"why") + ready + frame(4, (0, 0), 16, code=10, behind=b"why")
    yield frame(1, (5, 0), 16) + frame(4, (5, 0), 16, code=10) + frame(5, (0, 0), 16)
    for kind in ((1, 0), (1, 1, 2, 3, 4, 0, 5), (2, 0), (3,)):  # control messages
        yield b"".join(number.to_bytes(8, "little") for number in kind)


def inference_requests():
    """Of the Open Inference Protocol: JSON behind its length, with binary data, and messages of gRPC."""
    def body(text, binary=b""):
        return len(text).to_bytes(2, "little") + text + binary

    yield body(b'{"id":"i","parameters":{"binary_data_output":true,"timeout":9},"inputs":[{"name":"x","shape":[2,1],'
               b'"datatype":"FP32","data":[[1.5],[-0.0]]}],"outputs":[{"name":"y","parameters":{"binary_data":false}}]}')
    yield body(b'{"inputs":[{"name":"x","shape":[3],"datatype":"INT8","parameters":{"binary_data_size":3}},'
               b'{"name":"y","shape":[1],"datatype":"FP16","data":[65504]},{"name":"z","shape":[],"datatype":"BOOL","data":[true]}]}', b"abc")
    for name in ("UINT8", "UINT16", "UINT32", "UINT64", "INT16", "INT32", "INT64", "BF16", "FP64"):
        yield body(b'{"inputs":[{"name":"x","shape":[2],"datatype":"%s","data":[0,1]}]}' % name.encode())
    tensor = b"\x0a\x01x\x12\x04INT8\x1a\x01\x03"
    yield b"\x0a\x01m\x2a" + bytes([len(tensor)]) + tensor + b"\x3a\x03abc"
    typed = tensor + b"\x2a\x05\x12\x03\x01\x02\x03"
    yield b"\x0a\x01m\x12\x011\x2a" + bytes([len(typed)]) + typed


def seeds(reader, form):
    if form == "text":
        return [text.encode() for text in program_texts()]
    if form == "bytecode":
        return [path.read_bytes() for ending in ("mlirbc", "exported") for path in sorted(ROOT.glob(f"tenon/**/*.{ending}"))]
    if reader == "sharding":
        return [text.encode() for text in sharding_texts()]
    return list({"npy": npy_files, "compile_options": compile_options, "executable": executables,
                 "frames": frames, "inference": inference_requests}[reader]())


def fill_corpus(folder, reader, form):
    """Adds the test data and what has been found before."""
    folder.mkdir(parents=True, exist_ok=True)
    found = ROOT / "test/fuzz/readers/found" / reader
    for data in seeds(reader, form) + [path.read_bytes() for path in sorted(found.glob("*"))]:
        if 0 < len(data) <= MAX_SEED_BYTES:
            (folder / hashlib.sha1(data).hexdigest()).write_bytes(data)


def damaged(choice, seed, others, words):
    """The seed with a few changes, by the numbers that `choice` gives."""
    data = bytearray(seed)
    for _ in range(1 + choice.randrange(4)):
        at, to = sorted(choice.randrange(len(data) + 1) for _ in range(2))
        to = min(to, at + choice.choice((1, 4, 16, 64)))
        kind = choice.randrange(7)
        if kind == 0 and at < len(data):
            data[at] ^= 1 << choice.randrange(8)
        elif kind == 1 and at < len(data):
            data[at] = choice.choice((0, 1, 2, 0x7f, 0x80, 0xff))
        elif kind == 2:
            del data[at:to]
        elif kind == 3:
            place = choice.randrange(len(data) + 1)
            data[place:place] = data[at:to]
        elif kind == 4:
            data[at:at] = choice.choice(words)
        elif kind == 5:
            data[at:to] = choice.choice(words)
        else:
            other = choice.choice(others)
            data[at:] = other[choice.randrange(len(other) + 1):]
    return bytes(data[:MAX_SEED_BYTES])


def dictionary_words():
    """Of the programs: names of ops and attributes, types; and extreme numbers."""
    words = {}
    for text in program_texts():
        for word in re.findall(r"[#!]?[A-Za-z_][\w.]*[<:]?|->|\[\]|: ", re.sub(r"//.*", "", text)):
            if not re.match(r"x[0-9A-F]+$", word):
                words[word] = words.get(word, 0) + 1
    often = sorted(words, key=lambda word: (-words[word], word))[:800]
    often += ["1099511627776x", "72057594037927936x", "-9223372036854775808", "9223372036854775807"]
    return often


class Run:
    BATCH = 2000

    def __init__(self, options, reader, form, seconds):
        self.name = "_".join(filter(None, (reader, form)))
        self.reader, self.form, self.seconds, self.options = reader, form, seconds, options
        self.binary = options.build / "bin" / f"tenon_fuzz_{reader}_reader"
        self.corpus = options.build / "corpus" / self.name
        self.found = False
        self.summary = ""

    def limits(self):
        # Contexts keep what they have seen: by libFuzzer's count each input leaks.
        return [f"-timeout={self.options.time_limit}", "-rss_limit_mb=2048", "-malloc_limit_mb=1024", "-detect_leaks=0", "-max_len=16384"]

    def execute(self):
        self.options.output.mkdir(parents=True, exist_ok=True)
        if self.options.fixed:
            self.execute_fixed()
        else:
            self.execute_guided()

    def execute_fixed(self):
        """Batch by batch; how many there are is a matter of time, but not what is in them."""
        originals = [data for data in seeds(self.reader, self.form) if 0 < len(data) <= MAX_SEED_BYTES]
        words = [word.encode() for word in dictionary_words()] if self.form == "text" else \
            [bytes([value]) * count for value in (0, 1, 3, 0x7f, 0xff) for count in (1, 4, 8)]
        folder = self.options.build / "fixed" / self.name
        start, batch = time.monotonic(), 0
        while not self.found and time.monotonic() - start < self.seconds:
            choice = random.Random(f"{self.options.seed} {self.name} {batch}")
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            for i in range(self.BATCH):
                (folder / f"{i:04}").write_bytes(damaged(choice, choice.choice(originals), originals, words))
            command = [self.binary, *self.limits(), "-runs=0", f"-artifact_prefix={self.options.output}/{self.name}-",
                       folder]
            result = subprocess.run([str(part) for part in command], capture_output=True, text=True, errors="replace",
                                    check=False)
            batch += 1
            if result.returncode != 0:
                self.found = True
                self.report(result.stderr)
        self.summary = f"{self.name}: {batch * self.BATCH} fixed inputs in {time.monotonic() - start:.0f} s"

    def execute_guided(self):
        fill_corpus(self.corpus, self.reader, self.form)
        command = [self.binary, *self.limits(), f"-max_total_time={int(self.seconds)}", "-print_final_stats=1",
                   f"-seed={self.options.seed}", f"-artifact_prefix={self.options.output}/{self.name}-",
                   "-reload=0", "-use_value_profile=0"]
        if self.form == "text":
            command.append(f"-dict={self.options.build / 'corpus/program.dict'}")
        result = subprocess.run([str(part) for part in command] + [str(self.corpus)], capture_output=True, text=True,
                                errors="replace", check=False)
        self.summary = self.describe(result.stderr)
        if result.returncode != 0:
            self.found = True
            self.report(result.stderr)

    def describe(self, log):
        executed = re.search(r"number_of_executed_units: *(\d+)", log)
        covered = re.findall(r"cov: (\d+)", log)
        return (f"{self.name}: {executed.group(1) if executed else '?'} inputs in {self.seconds:.0f} s, "
                f"{covered[-1] if covered else '?'} edges")

    def report(self, log):
        (self.options.output / f"{self.name}.log").write_text(log[-200_000:], encoding="utf-8")
        artifact = re.search(r"Test unit written to (\S+)", log)
        print(f"FOUND by {self.name}\n" + "\n".join(log.splitlines()[-60:]), flush=True)
        if not artifact:
            return
        smaller = artifact.group(1) + ".small"
        subprocess.run([str(self.binary), *self.limits(), "-minimize_crash=1", f"-exact_artifact_path={smaller}",
                        f"-max_total_time={self.options.reduce_seconds}", artifact.group(1)],
                       capture_output=True, check=False)
        path = smaller if os.path.exists(smaller) else artifact.group(1)
        print(f"  input: {path}\n  again: {self.binary} {path}", flush=True)


def lanes_of(runs, jobs):
    """The longest first, each to the lane that ends first."""
    lanes = [[] for _ in range(jobs)]
    for run in sorted(runs, key=lambda run: -run.seconds):
        min(lanes, key=lambda lane: sum(other.seconds for other in lane)).append(run)
    return [lane for lane in lanes if lane]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/fuzz")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "build/findings", help="folder for findings")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--seed", type=int, default=1, help="of libFuzzer's choices; a run goes on from its corpus")
    parser.add_argument("--fixed", action="store_true", help="damaged test data only, the same for each seed")
    parser.add_argument("--reader", default="", help="only readers whose names match this pattern")
    parser.add_argument("--time-limit", type=int, default=10, help="seconds that an input may take")
    parser.add_argument("--reduce-seconds", type=int, default=60)
    options = parser.parse_args()
    chosen = [entry for entry in READERS if re.search(options.reader, "_".join(entry[:2]))]
    whole = sum(part for *_, part in chosen)
    # No reader can use more than one job.
    runs = [Run(options, reader, form, min(options.seconds, max(1, options.seconds * options.jobs * part / whole)))
            for reader, form, part in chosen]
    (options.build / "corpus").mkdir(parents=True, exist_ok=True)
    (options.build / "corpus/program.dict").write_text("".join(f'"{word}"\n' for word in dictionary_words()),
                                                       encoding="utf-8")
    threads = [threading.Thread(target=lambda lane=lane: [run.execute() for run in lane])
               for lane in lanes_of(runs, options.jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for run in runs:
        print(run.summary)
    return 1 if any(run.found for run in runs) else 0


if __name__ == "__main__":
    sys.exit(main())
