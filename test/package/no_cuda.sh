#!/usr/bin/env bash
# Holds that nothing that is built wants a library of NVIDIA's: they are opened where they are there. no_cuda.sh BUILD_FOLDER
set -euo pipefail
build=$1
checked=0
for file in "$build"/bin/tenon "$build"/bin/tenon_* "$build"/lib/*.so "$build"/lib/*.so.*; do
  [ -f "$file" ] || continue
  wanted=$(ldd "$file" 2>/dev/null || true)
  if grep -iE 'lib(cuda|cublas|cudnn|cufft|cusolver|cusparse|curand|cupti|nccl|nvrtc|nvJitLink|nvidia)' <<<"$wanted"; then
    echo "$file wants these libraries of NVIDIA's" >&2
    exit 1
  fi
  checked=$((checked + 1))
done
[ -x "$build/bin/tenon" ] && [ "$checked" -ge 2 ]
