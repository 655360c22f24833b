// In one OS process each process reads the rows that are for it where they are. Of other OS processes it must know what
// they send, which their arrays say: so all show each other these numbers first, and then each sends rows to those
// alone that they are for.
#include "tenon/runtime/collectives/exchange_rows.h"

#include "tenon/runtime/collectives/groups.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace tenon::runtime {
namespace {

using program::RuntimeCall;
using program::Shape;

// The operands.
enum { kRows, kResult, kFirst, kCount, kAt, kCome, kOperands };

int64_t integerAt(const void *list, program::ElementType type, size_t place) {
  return type == program::ElementType::kI64 ? static_cast<const int64_t *>(list)[place]
                                            : static_cast<const int32_t *>(list)[place];
}

Status checkRows(const RuntimeCall &runtimeCall, const Groups &groups) {
  if (runtimeCall.operands.size() != kOperands || runtimeCall.results.size() != 1)
    return invalidArgument("takes six arrays and gives one");
  const Shape &rows = runtimeCall.operands[kRows], &result = runtimeCall.operands[kResult];
  bool fits = !rows.dims.empty() && rows.dims.size() == result.dims.size() && rows.type == result.type &&
              std::equal(rows.dims.begin() + 1, rows.dims.end(), result.dims.begin() + 1) &&
              runtimeCall.results[0] == result;
  for (size_t i = kFirst; i < kOperands; ++i)
    fits = fits && runtimeCall.operands[i] == runtimeCall.operands[kFirst] &&
           runtimeCall.operands[i].dims == std::vector{int64_t(groups.largest())};
  program::ElementType type = runtimeCall.operands[kFirst].type;
  fits = fits && (type == program::ElementType::kI32 || type == program::ElementType::kI64);
  return fits ? Status()
              : invalidArgument("takes rows, a result of such rows, and four lists of i32 or i64, of a "
                                "number for each process of a group");
}

// Rows that one process sends to another.
struct Sent {
  int64_t first = 0, count = 0; // of those of the one
  int64_t at = 0;               // in the result of the other
};

class ExchangeRows final : public RuntimeCallInstance {
public:
  ExchangeRows(const RuntimeCall &runtimeCall, Groups groups, Meeting meeting, Meeting numbers)
      : groups_(std::move(groups)), meeting_(std::move(meeting)), numbers_(std::move(numbers)),
        rows_(runtimeCall.operands[kRows]), result_(runtimeCall.operands[kResult]),
        type_(runtimeCall.operands[kFirst].type), rowBytes_(rows_.dims[0] ? rows_.byteSize() / rows_.dims[0] : 0) {}

  Status call(const CallBuffers &call) override {
    int64_t self = call.options.process();
    TENON_ASSIGN_OR_RETURN(std::vector<int64_t> group, groups_.ofProcess(self));
    size_t place = placeIn(group, self);
    if (auto bytes = size_t(result_.byteSize()))
      std::memmove(call.results[0], call.operands[kResult], bytes);
    const Rendezvous *rendezvous = call.options.rendezvous;
    if (rendezvous && !std::ranges::all_of(group, [&](int64_t member) { return rendezvous->isHere(member); }))
      return exchangeAcross(call, group, place);
    return meeting_.meet(call, group, [&](const CallBuffers &, std::span<const Rendezvous::Part> parts) -> Status {
      for (const Rendezvous::Part &part : parts) {
        const auto *shown = static_cast<const void *const *>(part.content);
        TENON_ASSIGN_OR_RETURN(Sent sent, sentTo(place, shown + kFirst));
        copy(call, sent, static_cast<const char *>(shown[kRows]) + sent.first * rowBytes_);
      }
      return {};
    });
  }

private:
  // What a process whose lists from `first` on these are sends to the one at `place`.
  StatusOr<Sent> sentTo(size_t place, const void *const *lists) const {
    auto number = [&](size_t operand) { return integerAt(lists[operand - kFirst], type_, place); };
    Sent sent{number(kFirst), number(kCount), number(kAt)};
    auto isOutside = [&](int64_t start, int64_t size) {
      return start < 0 || start > size || sent.count > size - start;
    };
    if (sent.count < 0 || isOutside(sent.first, rows_.dims[0]) || isOutside(sent.at, result_.dims[0]))
      return invalidArgument("rows " + std::to_string(sent.first) + " to " + std::to_string(sent.first + sent.count) +
                             " of " + rows_.toString() + " cannot go to row " + std::to_string(sent.at) + " of " +
                             result_.toString());
    return sent;
  }

  void copy(const CallBuffers &call, const Sent &sent, const char *rows) const {
    if (sent.count && rowBytes_)
      std::memcpy(static_cast<char *>(call.results[0]) + sent.at * rowBytes_, rows, size_t(sent.count * rowBytes_));
  }

  Status exchangeAcross(const CallBuffers &call, const std::vector<int64_t> &group, size_t place) const {
    std::vector<std::vector<Sent>> sent(group.size(), std::vector<Sent>(group.size())); // by sender and receiver
    CallBuffers lists{call.operands.subspan(kFirst), call.results, call.options, call.pool};
    TENON_RETURN_IF_ERROR(
        numbers_.meet(lists, group, [&](const CallBuffers &, std::span<const Rendezvous::Part> parts) -> Status {
          for (size_t from = 0; from < parts.size(); ++from)
            for (size_t to = 0; to < parts.size(); ++to) {
              TENON_ASSIGN_OR_RETURN(sent[from][to], sentTo(to, static_cast<const void *const *>(parts[from].content)));
            }
          return {};
        }));
    auto range = [&](size_t, size_t from, size_t to) {
      const Sent &rows = sent[from][to];
      return Rendezvous::Sent::Range{size_t(rows.first * rowBytes_), size_t(rows.count * rowBytes_)};
    };
    const Meeting::Sent needed{{size_t(rows_.byteSize())}, range, {}};
    auto read = [&](std::span<const Rendezvous::Part> parts) -> Status {
      for (size_t from = 0; from < parts.size(); ++from) {
        const auto *shown = static_cast<const char *const *>(parts[from].content);
        const Sent &rows = sent[from][place];
        copy(call, rows, parts[from].isElsewhere ? shown[place] : shown[kRows] + rows.first * rowBytes_);
      }
      return {};
    };
    return meeting_.meet(call, group, call.operands, read, &needed);
  }

  const Groups groups_;
  const Meeting meeting_, numbers_; // of all operands, and of the lists alone
  const Shape rows_, result_;
  const program::ElementType type_;
  const int64_t rowBytes_;
};

} // namespace

StatusOr<std::unique_ptr<RuntimeCallInstance>> makeExchangeRows(const RuntimeCall &runtimeCall) {
  TENON_ASSIGN_OR_RETURN(Groups groups, Groups::of(runtimeCall));
  TENON_RETURN_IF_ERROR(checkRows(runtimeCall, groups));
  TENON_ASSIGN_OR_RETURN(Meeting meeting, Meeting::of(runtimeCall));
  RuntimeCall lists = runtimeCall;
  lists.operands.erase(lists.operands.begin(), lists.operands.begin() + kFirst);
  TENON_ASSIGN_OR_RETURN(Meeting numbers, Meeting::of(lists));
  return std::unique_ptr<RuntimeCallInstance>(
      std::make_unique<ExchangeRows>(runtimeCall, std::move(groups), std::move(meeting), std::move(numbers)));
}

} // namespace tenon::runtime
