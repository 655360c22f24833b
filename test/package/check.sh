#!/usr/bin/env bash
# Installs a build somewhere else, builds the project beside this file with find_package and with pkg-config, and runs
# it: check.sh BUILD_FOLDER
set -euo pipefail
build=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# configure SOURCE BINARY [options]: what it says is shown when it fails.
configure() {
  cmake -S "$1" -B "$2" -DCMAKE_PREFIX_PATH="$work/prefix" "${@:3}" >"$work/configure.log" 2>&1 ||
    { cat "$work/configure.log"; return 1; }
}

cmake --install "$build" --prefix "$work/prefix" >"$work/install.log" || { cat "$work/install.log"; exit 1; }
for text in LICENSE NOTICES; do grep -q LLVM "$work/prefix/share/doc/Tenon/$text"; done
configure "$here" "$work/build"
cmake --build "$work/build"
"$work/build/axpy"
[ "$("$work/build/doubles")" = "2 4 6" ]
"$work/build/aot" "$work/axpy_aot"
cc -Wall -Werror "$here/aot_main.c" "$work/axpy_aot/axpy.o" -I"$work/axpy_aot" -lm -o "$work/aot_main"
[ "$("$work/aot_main")" = "12 24 36" ]

# Only the C++ interface wants protobuf's package; what is without it is an error that says so.
without=-DCMAKE_DISABLE_FIND_PACKAGE_Protobuf=ON
configure "$here/../aot/cmake_project" "$work/aot" $without
cmake --build "$work/aot"
[ "$("$work/aot/app")" = "3 6 9" ]

configure "$here/c_project" "$work/c" $without
cmake --build "$work/c"
"$work/c/axpy_c"

# refused MESSAGE SOURCE BINARY [options]
refused() {
  if configure "${@:2}" >/dev/null; then
    echo "a project was configured that should not be: ${*:2}" >&2
    exit 1
  fi
  tr -s ' \n' '  ' <"$work/configure.log" | grep -q "$1" || { cat "$work/configure.log"; exit 1; }
}
refused "needs Protobuf, which was not found" "$here" "$work/refused" $without
mkdir "$work/component"
cat >"$work/component/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(AsksForMore LANGUAGES C)
find_package(Tenon REQUIRED COMPONENTS C ${MORE})
END
configure "$work/component" "$work/component/both" -DMORE='OPTIONAL_COMPONENTS;CXX' $without
refused "there is no component 'Fortran'; there are CXX, C, Target and Aot" "$work/component" "$work/component/other" \
  -DMORE=Fortran

# A target from outside: it passes the suite, and the C++ interface's program runs on it.
configure "$here/../../examples/c_target" "$work/c_target" $without
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
