// How a batch runs: rows put together, the program, and its results taken apart.
#include "tenon/runtime/core/memory.h"
#include "tenon/server/kserve/model.h"

#include <algorithm>
#include <cstring>

namespace tenon::kserve {
namespace {

using runtime::Buffer;

// The rows of all jobs' inputs of this number one behind the other, and copies of the last one up to the end: of
// values that the program is made for.
void fill(char *memory, size_t bytes, const Scheduler::Batch &batch, size_t input) {
  size_t at = 0, last = 0;
  for (const auto &job : batch) {
    const std::string &rows = job->inputs[input].bytes;
    std::ranges::copy(rows, memory + at);
    at += rows.size();
    last = rows.size() / static_cast<size_t>(job->rows);
  }
  for (; at < bytes; at += last)
    std::memcpy(memory + at, memory + at - last, last);
}

struct Memory {
  std::vector<Buffer> buffers;
  std::vector<const void *> arguments;
  std::vector<void *> results;
};

StatusOr<Memory> allocate(const program::Program &program, int64_t limit) {
  int64_t bytes = program::temporaryBytes(program);
  for (const auto &argument : program.arguments)
    bytes += argument.shape.byteSize();
  for (const auto &result : program.results)
    bytes += result.shape.byteSize();
  if (bytes > limit)
    return Status(StatusCode::kResourceExhausted, "a run of the model takes " + std::to_string(bytes) +
                                                      " bytes, and may take " + std::to_string(limit));
  Memory memory;
  auto add = [&](const program::Shape &shape) {
    return memory.buffers.emplace_back(static_cast<size_t>(shape.byteSize())).data();
  };
  for (const auto &argument : program.arguments)
    memory.arguments.push_back(add(argument.shape));
  for (const auto &result : program.results)
    memory.results.push_back(add(result.shape));
  if (!std::ranges::all_of(memory.buffers, [](const Buffer &buffer) { return buffer.data() != nullptr; }))
    return Status(StatusCode::kResourceExhausted, "the server has no memory left for a run of the model");
  return memory;
}

} // namespace

void Model::runBatch(Scheduler::Batch batch) {
  auto now = Job::Clock::now();
  for (const auto &job : batch)
    statistics_.countWait(now - job->queued);
  StatusOr<std::vector<std::vector<Tensor>>> results = [&]() -> StatusOr<std::vector<std::vector<Tensor>>> {
    try {
      return execute(batch);
    } catch (const std::bad_alloc &) {
      return Status(StatusCode::kResourceExhausted, "the server has no memory left");
    }
  }();
  if (results.ok()) {
    for (size_t i = 0; i < batch.size(); ++i)
      batch[i]->results.set_value(std::move((*results)[i]));
    return;
  }
  // The error is that of one of them, which the others have nothing to do with.
  if (batch.size() > 1)
    for (const auto &job : batch)
      runBatch({job});
  else
    batch.front()->results.set_value(results.status());
}

StatusOr<std::vector<std::vector<Tensor>>> Model::execute(const Scheduler::Batch &batch) {
  auto start = Job::Clock::now();
  int64_t rows = 0;
  Job::Clock::time_point deadline = Job::Clock::time_point::min();
  for (const auto &job : batch) {
    rows += job->rows;
    deadline = std::max(deadline, job->deadline);
  }
  Programs::Shapes shapes = batch.front()->shapes;
  int64_t size = isBatched() ? *std::ranges::lower_bound(config_.batchSizes, rows) : 1;
  for (auto &dims : shapes)
    if (isBatched())
      dims.front() = size;
  TENON_ASSIGN_OR_RETURN(auto executable, programs_->get(shapes));
  const program::Program &program = executable->program();
  TENON_ASSIGN_OR_RETURN(Memory memory, allocate(program, limits_.memory));
  for (size_t i = 0; i < program.arguments.size(); ++i)
    fill(static_cast<char *>(memory.buffers[i].data()), static_cast<size_t>(program.arguments[i].shape.byteSize()),
         batch, i);
  auto run = Job::Clock::now();
  runtime::RunOptions options;
  options.seed = ++lastSeed_;
  options.wait = {stop_.get_token(), deadline};
  TENON_RETURN_IF_ERROR(executable->execute(memory.arguments, memory.results, options));
  auto end = Job::Clock::now();
  std::vector<std::vector<Tensor>> results(batch.size());
  for (size_t i = 0; i < program.results.size(); ++i) {
    program::Shape shape = program.results[i].shape;
    auto bytes = static_cast<size_t>(shape.byteSize()) / static_cast<size_t>(size);
    const char *at = static_cast<const char *>(memory.results[i]);
    for (size_t job = 0; job < batch.size(); ++job) {
      auto own = bytes * static_cast<size_t>(batch[job]->rows);
      if (isBatched())
        shape.dims.front() = batch[job]->rows;
      results[job].push_back({outputs_[i].name, shape, std::string(at, own)});
      at += own;
    }
  }
  statistics_.countExecution(batch.size(), static_cast<uint64_t>(rows),
                             {run - start, end - run, Job::Clock::now() - end});
  return results;
}

} // namespace tenon::kserve
