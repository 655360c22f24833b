#include "tenon/profile/build.h"

#include "tenon/profile/calls.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace tenon::profile {
namespace {

using std::chrono::nanoseconds;
using xla::KernelProfile;
using xla::Profile;
using Kind = trace::Label::Kind;

// Stretches of time, as one list without overlaps.
class Intervals {
public:
  void add(int64_t begin, int64_t end) {
    if (begin < end)
      all_.emplace_back(begin, end);
  }

  // Call after the last add.
  void unite() {
    std::ranges::sort(all_);
    std::vector<std::pair<int64_t, int64_t>> united;
    for (auto [begin, end] : all_)
      if (!united.empty() && begin <= united.back().second)
        united.back().second = std::max(united.back().second, end);
      else
        united.emplace_back(begin, end);
    all_ = std::move(united);
  }

  int64_t length() const {
    int64_t sum = 0;
    for (auto [begin, end] : all_)
      sum += end - begin;
    return sum;
  }

  // How much of [begin, end) lies inside.
  int64_t overlap(int64_t begin, int64_t end) const {
    auto it = std::ranges::upper_bound(all_, begin, {}, [](const auto &interval) { return interval.second; });
    int64_t sum = 0;
    for (; it != all_.end() && it->first < end; ++it)
      sum += std::min(end, it->second) - std::max(begin, it->first);
    return sum;
  }

  void forEach(auto &&visit) const {
    for (auto [begin, end] : all_)
      visit(begin, end);
  }

private:
  std::vector<std::pair<int64_t, int64_t>> all_;
};

KernelProfile describe(const trace::Label &label) {
  KernelProfile kernel;
  kernel.program = label.detail<std::string>("hlo_module");
  kernel.name = label.detail<std::string>("hlo_op");
  kernel.kind = label.detail<std::string>("kind");
  kernel.ops = label.detail<std::string>("ops");
  kernel.op_name = label.detail<std::string>("tf_op");
  kernel.source = label.detail<std::string>("source");
  kernel.other_sources = label.detail<std::string>("other_sources");
  kernel.flops = label.detail<double>("flops");
  kernel.bytes_accessed = label.detail<double>("bytes_accessed");
  kernel.transcendentals = label.detail<double>("transcendentals");
  if (kernel.flops > 0)
    kernel.arithmetic = label.detail<std::string>("arithmetic");
  return kernel;
}

class Builder {
public:
  Builder(const std::vector<trace::ThreadEvents> &threads, const xla::MachineLimits &machine) : threads_(threads) {
    profile_.machine = machine;
  }

  Profile build() {
    for (const Call &call : allCalls(threads_))
      add(call);
    for (size_t i = 0; i < profile_.kernels.size(); ++i)
      finish(profile_.kernels[i], phases_[i]);
    addRuns();
    std::vector<int> places = sortKernels();
    for (const trace::ThreadEvents &thread : threads_)
      addEvents(thread, places);
    return std::move(profile_);
  }

private:
  // Calls of one kernel for one line are one row: a loop's, a layer's that is called several times.
  size_t rowOf(const trace::Label &label) {
    auto [known, isNewLabel] = rowOfLabel_.try_emplace(&label);
    if (!isNewLabel)
      return known->second;
    KernelProfile kernel = describe(label);
    auto [row, isNew] = rows_.try_emplace({kernel.program, kernel.name, kernel.source}, profile_.kernels.size());
    if (isNew) {
      profile_.kernels.push_back(std::move(kernel));
      phases_.push_back(std::max<int64_t>(label.detail<int64_t>("phases", 1), 1));
    }
    return known->second = row->second;
  }

  void add(const Call &call) {
    KernelProfile &kernel = profile_.kernels[rowOf(*call.label)];
    nanoseconds time(call.end - call.begin);
    kernel.shortest = kernel.calls == 0 ? time : std::min(kernel.shortest, time);
    ++kernel.calls;
    kernel.total += time;
    kernel.busy += nanoseconds(call.busy);
    kernel.threads = std::max(kernel.threads, call.threads);
    if (call.bytesCopied >= 0) // for the while their sum, each byte read and written
      kernel.bytes_accessed += 2 * static_cast<double>(call.bytesCopied);
    working_.add(call.begin, call.end);
  }

  // When all calls are known.
  void finish(KernelProfile &kernel, int64_t phases) {
    // A call of several phases has been counted, and its shortest phase taken, once for each.
    if (phases > 1) {
      kernel.calls = std::max<int64_t>(kernel.calls / phases, 1);
      kernel.shortest = kernel.total / kernel.calls;
    }
    if (kernel.kind == "copy")
      kernel.bytes_accessed /= static_cast<double>(kernel.calls);
    Limit limit = limitOf(kernel.flops, kernel.bytes_accessed, kernel.arithmetic, profile_.machine);
    kernel.limit = std::chrono::duration<double, std::nano>(limit.nanoseconds);
    kernel.is_bound_by_memory = limit.isMemory;
  }

  // Programs that a runtime call runs for another one are part of that one's run.
  void addRuns() {
    std::vector<const trace::Event *> runs;
    for (const trace::ThreadEvents &thread : threads_)
      for (const trace::Event &event : thread.events)
        if (event.label->kind == Kind::kRun)
          runs.push_back(&event);
    std::ranges::sort(runs,
                      [](auto *a, auto *b) { return std::tuple(a->begin, -a->end) < std::tuple(b->begin, -b->end); });
    Intervals running;
    int64_t last = 0;
    for (const trace::Event *run : runs) {
      running.add(run->begin, run->end);
      profile_.runs += run->end > last;
      last = std::max(last, run->end);
    }
    running.unite();
    working_.unite();
    profile_.run_time = nanoseconds(running.length());
    int64_t worked = 0;
    int64_t busy = 0;
    working_.forEach([&](int64_t begin, int64_t end) { worked += running.overlap(begin, end); });
    for (const KernelProfile &kernel : profile_.kernels)
      busy += kernel.threads > 0 ? kernel.busy.count() : kernel.total.count() * profile_.machine.threads;
    profile_.between = nanoseconds(running.length() - worked);
    double available = double(running.length()) * profile_.machine.threads;
    profile_.waiting = available > 0 ? std::clamp(1 - double(busy) / available, 0.0, 1.0) : 0;
  }

  // The place of each row then.
  std::vector<int> sortKernels() {
    std::vector<size_t> order(profile_.kernels.size());
    for (size_t i = 0; i < order.size(); ++i)
      order[i] = i;
    std::ranges::sort(order, {}, [&](size_t i) { return std::pair(-profile_.kernels[i].total, i); });
    std::vector<KernelProfile> sorted;
    std::vector<int> places(order.size());
    for (size_t i : order) {
      places[i] = static_cast<int>(sorted.size());
      sorted.push_back(std::move(profile_.kernels[i]));
    }
    profile_.kernels = std::move(sorted);
    return places;
  }

  void addEvents(const trace::ThreadEvents &thread, const std::vector<int> &places) {
    xla::ProfileThread &to = profile_.threads.emplace_back();
    to.id = thread.thread;
    to.name = thread.name;
    profile_.dropped_events += thread.dropped;
    for (const trace::Event &event : thread.events) {
      auto row = rowOfLabel_.find(event.label);
      to.events.push_back({row == rowOfLabel_.end() ? -1 : places[row->second], event.label->name,
                           nanoseconds(event.begin), nanoseconds(event.end)});
    }
  }

  const std::vector<trace::ThreadEvents> &threads_;
  Profile profile_;
  std::vector<int64_t> phases_; // of each kernel
  std::map<const trace::Label *, size_t> rowOfLabel_;
  std::map<std::tuple<std::string, std::string, std::string>, size_t> rows_;
  Intervals working_;
};

} // namespace

Profile profileOf(const std::vector<trace::ThreadEvents> &threads, const xla::MachineLimits &machine) {
  return Builder(threads, machine).build();
}

} // namespace tenon::profile

namespace tenon::xla_2017 {

double KernelProfile::BytesPerSecond() const {
  return total.count() > 0 ? bytes_accessed * static_cast<double>(calls) * 1e9 / static_cast<double>(total.count()) : 0;
}

double KernelProfile::FlopsPerSecond() const {
  return total.count() > 0 ? flops * static_cast<double>(calls) * 1e9 / static_cast<double>(total.count()) : 0;
}

double KernelProfile::ShareOfLimit() const {
  return total.count() > 0 ? limit.count() * static_cast<double>(calls) / static_cast<double>(total.count()) : 0;
}

double KernelProfile::Waiting(int all_threads) const {
  double available = static_cast<double>(total.count()) * all_threads;
  return available > 0 && threads > 0 ? std::clamp(1 - static_cast<double>(busy.count()) / available, 0.0, 1.0) : 0;
}

} // namespace tenon::xla_2017
