// A chip as the planners of all kinds of kernels see it: they serve any chip that LLVM has code for.
#pragma once

#include "tenon/codegen/llvm/kernel_target.h"

namespace tenon::codegen {

namespace matmul {
struct MatmulTarget;
}

class ProductTarget : public KernelTarget {
public:
  // What emitters of products ask of it.
  virtual matmul::MatmulTarget matmulTarget() const = 0;
};

} // namespace tenon::codegen
