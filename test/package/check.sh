#!/usr/bin/env bash
# Installs a build somewhere else, builds the project beside this file with find_package and with pkg-config, and runs
# it: check.sh BUILD_FOLDER
set -euo pipefail
build=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/prefix" >"$work/install.log" || { cat "$work/install.log"; exit 1; }
cmake -S "$here" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" >"$work/configure.log" ||
  { cat "$work/configure.log"; exit 1; }
cmake --build "$work/build"
"$work/build/axpy"
[ "$("$work/build/doubles")" = "2 4 6" ]
"$work/build/aot" "$work/axpy_aot"
cc -Wall -Werror "$here/aot_main.c" "$work/axpy_aot/axpy.o" -I"$work/axpy_aot" -lm -o "$work/aot_main"
[ "$("$work/aot_main")" = "12 24 36" ]

cmake -S "$here/../aot/cmake_project" -B "$work/aot" -DCMAKE_PREFIX_PATH="$work/prefix" >"$work/configure.log" ||
  { cat "$work/configure.log"; exit 1; }
cmake --build "$work/aot"
[ "$("$work/aot/app")" = "3 6 9" ]

cmake -S "$here/c_project" -B "$work/c" -DCMAKE_PREFIX_PATH="$work/prefix" >"$work/configure.log" ||
  { cat "$work/configure.log"; exit 1; }
cmake --build "$work/c"
"$work/c/axpy_c"

# A target from outside: it passes the suite, and the C++ interface's program runs on it.
cmake -S "$here/../../examples/c_target" -B "$work/c_target" -DCMAKE_PREFIX_PATH="$work/prefix" >"$work/configure.log" ||
  { cat "$work/configure.log"; exit 1; }
cmake --build "$work/c_target"
target=$work/c_target/libc_target.so
[ "$(wc -l <"$here/../../examples/c_target/c_target.cpp")" -lt 500 ]
"$work/prefix/bin/tenon" test-target "$target"
TENON_TARGETS=$target TENON_PLATFORM=c "$work/build/axpy"
if TENON_TARGETS=$work/build/axpy TENON_PLATFORM=c "$work/build/axpy" 2>"$work/errors"; then
  echo "an axpy that is no target was taken for one" >&2
  exit 1
fi
grep -q "there is no platform 'c'" "$work/errors"

pc=$(dirname "$(find "$work/prefix" -name tenon.pc)")
flags=$(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs tenon)
c++ -std=c++17 "$here/axpy.cpp" $flags -Wl,-rpath,"$(dirname "$pc")" -o "$work/axpy"
"$work/axpy"
# In C, without protobuf's package.
flags=$(PKG_CONFIG_LIBDIR=$pc pkg-config --cflags --libs tenon-c)
cc -std=c99 -Wall -Werror -pedantic "$here/axpy.c" $flags -Wl,-rpath,"$(dirname "$pc")" -o "$work/axpy_c"
"$work/axpy_c"

if nm -DC --defined-only "$work"/prefix/lib*/libtenon.so 2>/dev/null | grep -E ' (mlir|llvm)::' ||
  nm -DC --defined-only "$(dirname "$pc")/libtenon.so" | grep -E ' (mlir|llvm)::'; then
  echo "the library shows symbols of LLVM's" >&2
  exit 1
fi
if grep -rlE '#include [<"](mlir|llvm)' "$work/prefix/include"; then
  echo "installed headers include LLVM's" >&2
  exit 1
fi
