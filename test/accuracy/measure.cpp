#include "test/accuracy/measure.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <mutex>
#include <thread>

namespace tenon::accuracy {

static constexpr size_t kExamples = 4;

void Statistics::add(double error, std::initializer_list<double> arguments) {
  ++count;
  if (std::isinf(error)) {
    ++wrong;
    if (wrongArguments.size() < kExamples)
      wrongArguments.emplace_back(arguments);
    return;
  }
  sum += error;
  if (error > maxUlp) {
    maxUlp = error;
    argument = arguments;
  }
}

void Statistics::addTo(Record &record) const {
  record.count += count;
  record.meanUlp += sum; // divided at the end
  record.wrong += wrong;
  record.levelDifferences += levelDifferences;
  record.maxPartUlp = std::max(record.maxPartUlp, maxPartUlp);
  if (maxUlp > record.maxUlp) {
    record.maxUlp = maxUlp;
    record.argument = argument;
  }
  for (const auto &example : wrongArguments)
    if (record.wrongArguments.size() < kExamples)
      record.wrongArguments.push_back(example);
}

Record measureBlocks(const std::string &op, const std::string &type, size_t blocks, unsigned threads,
                     const std::function<void(Statistics &, size_t)> &body) {
  Record record;
  record.op = op;
  record.type = type;
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  auto start = std::chrono::steady_clock::now();
  auto shown = start;
  auto work = [&](bool shows) {
    mpfr_set_emax(mpfr_get_emax_max()); // of this thread
    mpfr_set_emin(mpfr_get_emin_min());
    Statistics statistics;
    for (size_t block; (block = next++) < blocks;) {
      body(statistics, block);
      auto now = std::chrono::steady_clock::now();
      if (!shows || now - shown < std::chrono::seconds(2))
        continue;
      shown = now;
      double elapsed = std::chrono::duration<double>(now - start).count(), part = double(block) / blocks;
      std::fprintf(stderr, "\r%s %s: %.0f%%, %.0f s left  ", op.c_str(), type.c_str(), 100 * part,
                   part > 0 ? elapsed * (1 - part) / part : 0.0);
    }
    std::lock_guard lock(mutex);
    statistics.addTo(record);
    mpfr_free_cache();
  };
  std::vector<std::thread> helpers;
  for (unsigned i = 1; i < threads; ++i)
    helpers.emplace_back(work, false);
  work(true);
  for (std::thread &helper : helpers)
    helper.join();
  if (shown != start)
    std::fprintf(stderr, "\n");
  record.meanUlp /= std::max<uint64_t>(record.count - record.wrong, 1);
  return record;
}

} // namespace tenon::accuracy
