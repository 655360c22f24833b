#!/usr/bin/env bash
# Makes what the archive holds, moves it, and uses it without any library of a build's or of other packages:
# archive.sh BUILD_FOLDER PYTHON
set -euo pipefail
build=$1 python=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$python" "$here/../../scripts/build_archive.py" --build "$build" --output "$work/made" --no-build --unpacked
mv "$work"/made/tenon-* "$work/moved"
cd "$work/moved"
for text in LICENSE NOTICES; do grep -q LLVM "share/doc/Tenon/$text"; done
for file in bin/tenon lib*/libtenon.so lib*/libtenon_processes.so; do
  # Of the system: what auditwheel takes for granted as well.
  others=$(ldd "$file" | grep ' => ' | grep -v " => $work/moved/" |
    grep -vE '(libc|libm|libz|libdl|librt|libpthread|libgcc_s|libstdc\+\+)\.so' || true)
  if [ -n "$others" ]; then
    echo "$file takes from the machine: $others" >&2
    exit 1
  fi
  while read -r library; do
    grep -qF "${library##*/}" share/doc/Tenon/NOTICES || { echo "$library has no notice" >&2; exit 1; }
  done < <(ldd "$file" | grep -oE "$work/moved/\S+")
done
bin/tenon run --random "$here/../e2e/programs/softmax.mlir" >/dev/null

pc=$(dirname "$(find . -name tenon-c.pc)")
flags=$(PKG_CONFIG_LIBDIR=$pc pkg-config --cflags --libs tenon-c)
cc -std=c99 "$here/axpy.c" $flags -Wl,-rpath,"$PWD/$(dirname "$pc")" -o "$work/axpy_c"
"$work/axpy_c"
