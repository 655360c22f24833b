#!/usr/bin/env python3
"""Compares what Tenon says of shardings with what Shardy does, whose passes are in jaxlib.

    scripts/compare_with_shardy.py [--tenon build/release/bin/tenon] rules [PROGRAM.mlir | FOLDER ...]
    scripts/compare_with_shardy.py redistribution [--random N] [--seed S]
    scripts/compare_with_shardy.py propagation [PROGRAM.mlir | FOLDER ...] [--decorate N] [--random N] [--seed S]

`rules`: the factors of every op, as text. The programs are those of test/e2e/programs unless others are named.

`propagation`: the shardings of arguments and results, after the shardings that the program gives have been spread.
With --decorate, the programs get random shardings instead, N times each. With --random, there are N random programs
as well (scripts/sharding_programs.py).

`redistribution`: the bytes that a device receives when an array is moved between N pairs of random shardings, by the
collectives that each has for that. Tenon may not need more.

Shardy's passes run in a process of their own, which is replaced when it dies: they check what they take for granted,
and abort. Such programs are counted, not compared. The exit status is 1 if anything differs, and 2 where there is no
jaxlib, for then nothing was compared.
"""

import argparse
import itertools
import json
import math
import pathlib
import random as randoms
import re
import subprocess
import sys

from progress import Progress

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = ROOT / "test/e2e/programs"
# Ops that Shardy knows no rule for, and Tenon does.
ONLY_TENONS = re.compile(
    r"chlo\..*|stablehlo\.(map|torch_index_select|broadcast|einsum|unary_einsum|rng|uniform_(de)?quantize)"
)


# To make a context takes longer than to run Shardy on a program, and it keeps something of each.
PROGRAMS_OF_A_CONTEXT = 200
# A process of Tenon's starts in the time of twenty programs.
BATCH = 64
SEPARATOR = "// -----\n"


# --------------------------------------------------------------------------
# In the other process
# --------------------------------------------------------------------------


def make_context():
    from jaxlib.mlir import ir
    from jaxlib.mlir._mlir_libs import _jax_mlir_ext
    from jaxlib.mlir.dialects import chlo, mhlo, sdy, stablehlo

    registry = ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(registry)
    context = ir.Context()
    context.append_dialect_registry(registry)
    context.load_all_available_dialects()
    sdy.register_dialect(context)
    mhlo.register_mhlo_dialect(context)
    chlo.register_dialect(context)
    stablehlo.register_dialect(context)
    return context


def rules_of(module):
    """The name of each op, and its rule or None."""
    from jaxlib.mlir import ir

    rules = []

    def visit(op):
        attribute = "sdy.sharding_rule"
        text = str(op.attributes[attribute]) if attribute in op.attributes else None
        # Shardy takes a dimension that is counted from the end for one that is not there.
        if op.name == "stablehlo.sort" and "dimension" in op.attributes and op.attributes["dimension"].value < 0:
            text = None
        rules.append([op.name, text])
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    return rules


def signature_of(module):
    """The shardings of the arguments and results of the main function."""
    from jaxlib.mlir import ir

    functions = [op for op in module.body.operations if op.operation.name == "func.func"]
    main = next((f for f in functions if str(f.attributes["sym_name"]) == '"main"'), functions[0] if functions else None)
    if main is None:
        return []
    kind = main.attributes["function_type"].value
    signature = []
    for what, count in (("arg_attrs", len(kind.inputs)), ("res_attrs", len(kind.results))):
        listed = ir.ArrayAttr(main.attributes[what]) if what in main.attributes else [{}] * count
        signature += [f"{what} {i}: {a['sdy.sharding']}" for i, a in enumerate(listed) if "sdy.sharding" in a]
    return signature


def serve():
    """Answers requests, a line of JSON each: {"text", "pipeline", "seed"} gives {"text", "rules", "signature"} or
    {"error"}. With a seed, the program first gets random shardings."""
    import sharding_programs
    from jaxlib.mlir import ir, passmanager

    for number, line in enumerate(sys.stdin):
        request = json.loads(line)
        if number % PROGRAMS_OF_A_CONTEXT == 0:
            context = make_context()
        try:
            with context:
                module = ir.Module.parse(request["text"])
                if request["seed"] is not None:
                    sharding_programs.decorate(module, request["seed"])
                if request["pipeline"]:
                    passmanager.PassManager.parse(request["pipeline"]).run(module.operation)
                answer = {"text": str(module), "rules": rules_of(module), "signature": signature_of(module)}
        except Exception as error:  # noqa: BLE001
            answer = {"error": str(error)}
        print(json.dumps(answer), flush=True)


class Shardy:
    """The process with Shardy's passes."""

    def __init__(self):
        self.process = None

    def ask(self, text, pipeline="", seed=None):
        if self.process is None:
            self.process = subprocess.Popen(
                [sys.executable, __file__, "serve"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        try:
            print(json.dumps({"text": text, "pipeline": pipeline, "seed": seed}), file=self.process.stdin, flush=True)
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if line:
            return json.loads(line)
        status = self.process.wait()
        self.process = None
        return {"error": f"the process ended with status {status}"}


# --------------------------------------------------------------------------
# Comparisons
# --------------------------------------------------------------------------


class Tally:
    def __init__(self, keep=None):
        self.keep = pathlib.Path(keep) if keep else None
        self.equal = self.different = 0
        self.skipped = []

    def differ(self, name, what):
        self.different += 1
        print(f"{name}: {what}")

    def skip(self, name, why):
        self.skipped.append((name, why))

    def report(self, unit):
        for name, why in self.skipped[:10]:
            print(f"not compared, {name}: {why.strip().splitlines()[0] if why.strip() else why}")
        print(f"{self.equal} {unit} equal, {self.different} different, {len(self.skipped)} programs not compared")
        return 1 if self.different or not self.equal else 0


def tenon_opt(tenon, option, text):
    """The program after a pass of Tenon's, and what went wrong."""
    result = subprocess.run([tenon, "opt", option, "-"], input=text, capture_output=True, text=True)
    return (result.stdout, "") if result.returncode == 0 else ("", result.stderr or f"status {result.returncode}")


def tenon_opt_of_all(tenon, option, texts):
    """The same for each of several programs, in one process unless one of them fails."""
    if len(texts) > 1 and not any(SEPARATOR in text for text in texts):
        command = [tenon, "opt", option, "--split-input-file", "-"]
        result = subprocess.run(command, input=("\n" + SEPARATOR).join(texts), capture_output=True, text=True)
        programs = result.stdout.split(SEPARATOR)
        if result.returncode == 0 and len(programs) == len(texts):
            return [(program, "") for program in programs]
    return [tenon_opt(tenon, option, text) for text in texts]


def run_both(programs, tenon, option, shardy, pipeline, tally):
    """Of each of several programs, which are pairs of a name and a text, these and what Tenon's pass and Shardy's
    pipeline make of it; not of those where one fails, which the tally counts."""
    known = []
    for name, text in programs:
        theirs = shardy.ask(text, pipeline)
        if "error" in theirs:
            tally.skip(name, "Shardy: " + theirs["error"])
        else:
            known.append((name, text, theirs))
    made = tenon_opt_of_all(tenon, option, [text for _, text, _ in known])
    for (name, text, theirs), (program, error) in zip(known, made, strict=True):
        ours = {"error": error} if error else shardy.ask(program)
        if "error" in ours:
            tally.differ(name, "Tenon: " + ours["error"])
        else:
            yield name, text, ours, theirs


def in_batches(programs, size=BATCH):
    programs = iter(programs)
    while batch := list(itertools.islice(programs, size)):
        yield batch


def compare_rules(name, ours, theirs, tally):
    if len(ours["rules"]) != len(theirs["rules"]):
        return tally.differ(name, "the programs have not the same ops any more")
    for (op, our), (other, their) in zip(ours["rules"], theirs["rules"]):
        if op != other:
            return tally.differ(name, f"{op} is where {other} was")
        if their is None and our is not None and ONLY_TENONS.fullmatch(op):
            continue
        if our == their:
            tally.equal += their is not None
        else:
            tally.differ(name, f"{op}\n  Tenon:  {our}\n  Shardy: {their}")


def compare_signatures(name, text, ours, theirs, tally):
    if ours["signature"] == theirs["signature"]:
        tally.equal += 1
        return
    lines = []
    for line in sorted(set(ours["signature"]) ^ set(theirs["signature"])):
        lines.append(("Tenon:  " if line in ours["signature"] else "Shardy: ") + line)
    tally.differ(name, "\n  ".join(["", *lines]))
    if tally.keep:
        (tally.keep / f"{name}.mlir").write_text(text, encoding="utf-8")


def files(paths):
    for path in paths or [PROGRAMS]:
        path = pathlib.Path(path)
        yield from sorted(path.rglob("*.mlir")) if path.is_dir() else [path]


def command_rules(args):
    shardy, tally = Shardy(), Tally()
    pipeline = "builtin.module(func.func(sdy-populate-op-sharding-rules))"
    for batch in in_batches((path.stem, path.read_text(encoding="utf-8")) for path in files(args.programs)):
        for name, _, ours, theirs in run_both(batch, args.tenon, "--tenon-annotate-factors", shardy, pipeline, tally):
            compare_rules(name, ours, theirs, tally)
    return tally.report("rules")


def programs_to_propagate(args, shardy, tally):
    """Names and texts."""
    import sharding_programs

    for path in files(args.programs) if args.programs or not args.random else ():
        text = path.read_text(encoding="utf-8")
        if not args.decorate:
            yield path.stem, text
        for i in range(args.decorate):
            decorated = shardy.ask(text, seed=args.seed + i)
            if "error" in decorated:
                tally.skip(path.stem, "Shardy: " + decorated["error"])
                break
            yield f"{path.stem}-{args.seed + i}", decorated["text"]
    for seed in range(args.seed, args.seed + args.random):
        yield f"random-{seed}", sharding_programs.random_program(seed)


def command_propagation(args):
    shardy, tally = Shardy(), Tally(args.keep)
    pipeline = "builtin.module(sdy-propagation-pipeline)"
    is_of_files = bool(args.programs) or not args.random
    count = args.random + is_of_files * len(list(files(args.programs))) * max(args.decorate, 1)
    progress = Progress("propagation", count)
    for batch in in_batches(programs_to_propagate(args, shardy, tally)):
        for both in run_both(batch, args.tenon, "--tenon-propagate-shardings", shardy, pipeline, tally):
            compare_signatures(*both, tally)
        progress.step(f"{tally.equal} equal, {tally.different} different", len(batch))
    return tally.report("programs")


# --------------------------------------------------------------------------
# Redistribution
# --------------------------------------------------------------------------

MESH = {"a": 2, "b": 4, "c": 2}
SIZES = [64, 64, 64]  # nothing is rounded


def random_cut(random):
    """Some axes, or parts of them, of each dimension, as text."""
    atoms = ['"a"', '"c"', *random.choice([['"b"'], ['"b":(1)2', '"b":(2)2']])]
    random.shuffle(atoms)
    dims = [[] for _ in SIZES]
    for atom in atoms:
        place = random.randrange(len(SIZES) + 1)
        if place < len(SIZES):
            dims[place].append(atom)
    # Parts that follow each other are written as one.
    texts = [", ".join(dim).replace('"b":(1)2, "b":(2)2', '"b"') for dim in dims]
    return "<@mesh, [" + ", ".join("{" + text + "}" for text in texts) + "]>"


def parts_in(text):
    """The product of the sizes of all axes and parts of axes in a text."""
    product = 1
    for name, part in re.findall(r'"(\w+)"(?::\(\d+\)(\d+))?', text):
        product *= int(part) if part else MESH[name]
    return product


def received_by_shardy(text, source):
    """Elements, by the collectives that a reshard has become; these have whole types, and say how results are cut."""
    received, before = 0, source
    elements = math.prod(SIZES)
    for op, along, after in re.findall(r"sdy\.(\w+) (.*) out_sharding=(<@mesh, \[.*?\]>)", text):
        local = elements // parts_in(before)
        if op == "all_gather":
            received += elements // parts_in(after) - local
        elif op == "all_to_all":
            received += local - local // parts_in(along)
        elif op == "collective_permute":
            received += local
        elif op != "all_slice":
            raise ValueError(f"a collective of no known cost: {op}")
        before = after
    return received


def received_by_tenon(text):
    received = 0
    for op, attributes, before, after in re.findall(
        r'"stablehlo\.(all_gather|all_to_all|collective_permute)"(.*) : '
        r"\(tensor<([\dx]+)xf32>\) -> tensor<([\dx]+)xf32>",
        text,
    ):
        local, result = (math.prod(map(int, sizes.split("x"))) for sizes in (before, after))
        if op == "all_gather":
            received += result - local
        elif op == "all_to_all":
            count = int(re.search(r"split_count = (\d+)", attributes).group(1))
            received += local - local // count
        else:
            received += local
    return received


def command_redistribution(args):
    random, shardy = randoms.Random(args.seed), Shardy()
    equal = less = more = skipped = saved = total = 0
    array = "tensor<" + "x".join(map(str, SIZES)) + "xf32>"
    axes = ", ".join(f'"{name}"={size}' for name, size in MESH.items())
    for _ in range(args.random):
        source, target = random_cut(random), random_cut(random)
        text = (
            f"module attributes {{mhlo.num_partitions = 16 : i32}} {{\nsdy.mesh @mesh = <[{axes}]>\n"
            f"func.func @main(%x: {array} {{sdy.sharding = #sdy.sharding{source}}}) -> "
            f"({array} {{sdy.sharding = #sdy.sharding{target}}}) {{\n"
            f"  %0 = sdy.reshard %x {target} : {array}\n  return %0 : {array}\n}}\n}}\n"
        )
        theirs = shardy.ask(text, "builtin.module(func.func(sdy-reshard-to-collectives))")
        ours, error = tenon_opt(args.tenon, "--tenon-partition", text)
        if "error" in theirs or error:
            skipped += 1
            print(f"not compared, {source} to {target}: {theirs.get('error') or error}")
            continue
        mine, other = received_by_tenon(ours), received_by_shardy(theirs["text"], source)
        total += other
        saved += other - mine
        equal, less, more = equal + (mine == other), less + (mine < other), more + (mine > other)
        if mine > other:
            print(f"{source} to {target}: {mine} elements, and {other} by Shardy")
    print(f"{equal} pairs equal, {less} with less, {more} with more, {skipped} not compared", end="; ")
    print(f"{100 * saved / max(total, 1):.1f} % less in all")
    return 1 if more or not equal + less else 0


def main():
    if sys.argv[1:] == ["serve"]:
        return serve()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tenon", default=str(ROOT / "build/release/bin/tenon"), help="the command")
    commands = parser.add_subparsers(required=True)
    rules = commands.add_parser("rules", help="compare the factors of ops")
    rules.set_defaults(run=command_rules)
    rules.add_argument("programs", nargs="*", metavar="PROGRAM")
    propagation = commands.add_parser("propagation", help="compare where shardings spread")
    propagation.set_defaults(run=command_propagation)
    propagation.add_argument("programs", nargs="*", metavar="PROGRAM")
    propagation.add_argument("--decorate", type=int, default=0, metavar="N", help="give programs N random shardings each")
    propagation.add_argument("--random", type=int, default=0, metavar="N", help="compare N random programs")
    propagation.add_argument("--seed", type=int, default=0)
    propagation.add_argument("--keep", metavar="FOLDER", help="write programs there that differ")
    redistribution = commands.add_parser("redistribution", help="compare what moves between shardings")
    redistribution.set_defaults(run=command_redistribution)
    redistribution.add_argument("--random", type=int, default=300, metavar="N", help="compare N random pairs")
    redistribution.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    try:
        import jaxlib.mlir.dialects.sdy  # noqa: F401
    except ImportError:
        print("NOTHING WAS COMPARED: Shardy's passes are in jaxlib, which this Python does not have", file=sys.stderr)
        return 2
    return args.run(args)


if __name__ == "__main__":
    sys.exit(main())
