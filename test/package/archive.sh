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
for file in bin/tenon lib*/libtenon.so lib*/libtenon_processes.so lib*/libtenon_serve.so; do
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
# The command opens what it serves with, and only then.
if ldd bin/tenon | grep -E 'libgrpc|libabsl|libssl'; then
  echo "bin/tenon opens these libraries whenever it starts" >&2
  exit 1
fi
timeout --preserve-status 20 bin/tenon serve --listen 127.0.0.1:0 --print-port >"$work/port" 2>"$work/log" &
server=$!
for _ in $(seq 100); do
  { [ -s "$work/port" ] || ! kill -0 $server 2>/dev/null; } && break
  sleep 0.2
done
kill $server 2>/dev/null || true
wait $server || true
[ -s "$work/port" ] || { cat "$work/log" >&2; exit 1; }

pc=$(dirname "$(find . -name tenon-c.pc)")
flags=$(PKG_CONFIG_LIBDIR=$pc pkg-config --cflags --libs tenon-c)
cc -std=c99 "$here/axpy.c" $flags -Wl,-rpath,"$PWD/$(dirname "$pc")" -o "$work/axpy_c"
"$work/axpy_c"
