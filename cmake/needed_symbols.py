#!/usr/bin/env python3
"""Writes a linker script that has a program take in what a library of ours needs of it: no linker takes members of archives
for the sake of a shared library. With --program: fails where the program does not show all that.

    needed_symbols.py --nm NM --output FILE.ld LIBRARY.so
    needed_symbols.py --nm NM --program FILE LIBRARY.so
"""

import argparse
import pathlib
import re
import subprocess
import sys

# What is linked into our programs from archives, in the names of C++'s ABI, and tables of our messages.
OURS = re.compile(r"_Z.*(5tenon|4llvm|4mlir)|descriptor_table_tenon_")


def symbols(nm, which, file):
    listed = subprocess.run([nm, "--dynamic", which, "--format=posix", file], capture_output=True, text=True, check=True).stdout
    return {name for name in (line.split()[0] for line in listed.splitlines()) if OURS.match(name)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("--nm", required=True)
    parser.add_argument("--output", type=pathlib.Path)
    parser.add_argument("--program")
    options = parser.parse_args()
    needed = symbols(options.nm, "--undefined-only", options.library)
    if options.output:
        options.output.write_text("".join(f'EXTERN("{name}")\n' for name in sorted(needed)))
    if options.program:
        hidden = sorted(needed - symbols(options.nm, "--defined-only", options.program))
        if hidden:
            sys.exit(f"{options.library} needs what {options.program} does not show (TENON_SHOWN, tenon/support/shown.h): " + " ".join(hidden))


if __name__ == "__main__":
    main()
