#include "tenon/compiler/context_pool.h"

#include "tenon/ir/register.h"

#include <mutex>
#include <vector>

namespace tenon::compiler {

struct ContextLoan::Entry {
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  int programs = 0;
  size_t sourceBytes = 0;
};

class ContextLoan::Pool {
public:
  static Pool &ofProcess() {
    static auto *pool = new Pool;
    return *pool;
  }

  // Null if there is none.
  std::unique_ptr<Entry> take() {
    std::lock_guard lock(mutex_);
    if (idle_.empty())
      return nullptr;
    std::unique_ptr<Entry> entry = std::move(idle_.back());
    idle_.pop_back();
    return entry;
  }

  // Keeps the entry if there is room; else it is still the caller's.
  void put(std::unique_ptr<Entry> &entry) {
    std::lock_guard lock(mutex_);
    if (idle_.size() < kIdleContexts)
      idle_.push_back(std::move(entry));
  }

private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Entry>> idle_;
};

ContextLoan::ContextLoan(size_t sourceBytes) {
  if (sourceBytes <= kSourceBytesPerContext)
    entry_ = Pool::ofProcess().take();
  if (!entry_) {
    entry_ = std::make_unique<Entry>();
    loadAllDialects(entry_->context);
  }
  ++entry_->programs;
  entry_->sourceBytes += sourceBytes;
  entry_->context.disableMultithreading();
  // Messages name the place; whole loops in notes help nobody.
  entry_->context.printOpOnDiagnostic(false);
}

ContextLoan::~ContextLoan() {
  if (entry_->programs < kProgramsPerContext && entry_->sourceBytes <= kSourceBytesPerContext)
    Pool::ofProcess().put(entry_);
}

mlir::MLIRContext &ContextLoan::operator*() const { return entry_->context; }

} // namespace tenon::compiler
