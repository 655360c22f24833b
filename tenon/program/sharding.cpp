#include "tenon/program/sharding.h"

#include "tenon/support/strides.h"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace tenon::program {
namespace {

using Kind = Sharding::Kind;

// The words for shardings without tiles.
constexpr std::pair<Kind, std::string_view> kWords[] = {{Kind::kReplicated, "replicated"},
                                                        {Kind::kMaximal, "maximal"},
                                                        {Kind::kManual, "manual"},
                                                        {Kind::kUnknown, "unknown"},
                                                        {Kind::kUnreduced, "unreduced"}};

class Parser {
public:
  explicit Parser(std::string_view text) : text_(text), rest_(text) {}

  StatusOr<Sharding> parse() {
    if (!one() || !isAtEnd() || group_)
      return unreadable();
    return std::move(sharding_);
  }

  StatusOr<std::vector<AnnotatedSharding>> parseAll() {
    std::vector<AnnotatedSharding> all;
    const std::string_view whole = rest_;
    const bool isTuple = consume("{") && (consume("{") || consume("}"));
    rest_ = whole;
    if (isTuple)
      consume("{");
    bool ok = true;
    if (!isTuple || !consume("}")) {
      do {
        ok = one();
        all.push_back({std::move(sharding_), group_});
      } while (ok && isTuple && consume(","));
      ok = ok && (!isTuple || consume("}"));
    }
    if (!ok || !isAtEnd())
      return unreadable();
    return all;
  }

private:
  bool one() {
    sharding_ = {};
    group_.reset();
    bool ok = consume("{");
    while (ok && !consume("}"))
      ok = item();
    return ok && isConsistent(sharding_);
  }

  bool isAtEnd() {
    skipSpace();
    return rest_.empty();
  }

  Status unreadable() const {
    return invalidArgument("cannot read the sharding '" + std::string(text_) + "' at '" +
                           std::string(rest_.substr(0, 20)) + "'");
  }

  bool item() {
    if (kind(sharding_.kind))
      return true;
    if (consume("device=")) {
      sharding_.devices.resize(1);
      return integer(sharding_.devices[0]);
    }
    if (consume("devices="))
      return tiles();
    if (consume("last_tile_dim_replicate")) {
      sharding_.subgroups = {Kind::kReplicated};
      return true;
    }
    if (consume("last_tile_dims={")) {
      do {
        if (!kind(sharding_.subgroups.emplace_back()))
          return false;
      } while (consume(","));
      return consume("}");
    }
    if (consume("shard_as") || consume("shard_like"))
      return integer(group_.emplace());
    return consume("metadata={") && skipBraces();
  }

  bool kind(Kind &kind) {
    for (auto [named, word] : kWords)
      if (consume(word)) {
        kind = named;
        return true;
      }
    return false;
  }

  // [2,1]0,1 or [2,1]<=[2] or [2,1]<=[1,2]T(1,0)
  bool tiles() {
    sharding_.kind = Kind::kTiled;
    if (!consume("[") || !integers(sharding_.tiles) || !consume("]"))
      return false;
    if (!consume("<="))
      return integers(sharding_.devices);
    if (!consume("[") || !integers(sharding_.iotaDims) || !consume("]"))
      return false;
    if (consume("T("))
      return integers(sharding_.iotaPermutation) && consume(")");
    sharding_.iotaPermutation.resize(sharding_.iotaDims.size());
    std::iota(sharding_.iotaPermutation.begin(), sharding_.iotaPermutation.end(), 0);
    return true;
  }

  bool integers(std::vector<int64_t> &values) {
    do {
      if (!integer(values.emplace_back()))
        return false;
    } while (consume(","));
    return true;
  }

  bool integer(int64_t &value) {
    skipSpace();
    value = 0;
    size_t digits = 0;
    for (; digits < rest_.size() && digits < 18 && std::isdigit(static_cast<unsigned char>(rest_[digits])); ++digits)
      value = value * 10 + (rest_[digits] - '0');
    rest_.remove_prefix(digits);
    return digits > 0;
  }

  // The rest of a balanced {...} that was opened.
  bool skipBraces() {
    int depth = 1;
    for (; depth && !rest_.empty(); rest_.remove_prefix(1))
      depth += rest_.front() == '{' ? 1 : rest_.front() == '}' ? -1 : 0;
    return depth == 0;
  }

  bool consume(std::string_view token) {
    skipSpace();
    if (!rest_.starts_with(token))
      return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  void skipSpace() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front())))
      rest_.remove_prefix(1);
  }

  std::string_view text_, rest_;
  Sharding sharding_;
  std::optional<int64_t> group_;
};

// No grid has more devices: what follows from the numbers in a text stays small.
constexpr int64_t kMaxDevices = 1 << 20;

// 0 if there are more than kMaxDevices.
int64_t count(const std::vector<int64_t> &sizes) {
  int64_t product = 1;
  for (int64_t size : sizes) {
    if (size < 1 || size > kMaxDevices / product)
      return 0;
    product *= size;
  }
  return product;
}

std::string listed(const std::vector<int64_t> &values) {
  std::string text;
  for (int64_t value : values)
    text += (text.empty() ? "" : ",") + std::to_string(value);
  return text;
}

std::string_view wordFor(Kind kind) {
  const auto *word =
      std::find_if(std::begin(kWords), std::end(kWords), [&](auto &entry) { return entry.first == kind; });
  return word == std::end(kWords) ? "" : word->second;
}

std::string subgroupsText(const std::vector<Kind> &subgroups) {
  if (subgroups.empty())
    return "";
  if (subgroups == std::vector{Kind::kReplicated})
    return " last_tile_dim_replicate";
  std::string text;
  for (Kind subgroup : subgroups)
    text.append(text.empty() ? "" : ", ").append(wordFor(subgroup));
  return " last_tile_dims={" + text + "}";
}

} // namespace

bool isConsistent(const Sharding &sharding) {
  auto isOfTiles = [](Kind subgroup) {
    return subgroup == Kind::kReplicated || subgroup == Kind::kManual || subgroup == Kind::kUnreduced;
  };
  const bool isListed = !sharding.devices.empty(), isIota = !sharding.iotaDims.empty();
  if (sharding.kind != Kind::kTiled)
    return sharding.tiles.empty() && !isIota && sharding.iotaPermutation.empty() && sharding.subgroups.empty() &&
           sharding.devices.size() == (sharding.kind == Kind::kMaximal ? 1 : 0);
  if (isListed == isIota || !isPermutation(sharding.iotaPermutation, sharding.iotaDims.size()) ||
      !std::all_of(sharding.subgroups.begin(), sharding.subgroups.end(), isOfTiles))
    return false;
  int64_t tiles = count(sharding.tiles), devices = isIota ? count(sharding.iotaDims) : int64_t(sharding.devices.size());
  return tiles != 0 && tiles == devices;
}

std::vector<int64_t> devicesOfTiles(const Sharding &sharding) {
  if (!sharding.devices.empty())
    return sharding.devices;
  const std::vector<int64_t> &dims = sharding.iotaDims, &permutation = sharding.iotaPermutation;
  std::vector<int64_t> devices(size_t(count(dims))), strides = rowMajorStrides(dims), index(dims.size(), 0);
  for (int64_t &device : devices) {
    for (size_t i = 0; i < index.size(); ++i)
      device += index[i] * strides[size_t(permutation[i])];
    for (size_t i = index.size(); i-- > 0;) {
      if (++index[i] < dims[size_t(permutation[i])])
        break;
      index[i] = 0;
    }
  }
  return devices;
}

std::string toString(const Sharding &sharding) {
  if (sharding.kind == Kind::kMaximal)
    return "{maximal device=" + listed(sharding.devices) + "}";
  if (sharding.kind != Kind::kTiled)
    return "{" + std::string(wordFor(sharding.kind)) + "}";
  std::string text = "{devices=[" + listed(sharding.tiles) + "]";
  if (!sharding.devices.empty())
    text += listed(sharding.devices);
  else
    text += "<=[" + listed(sharding.iotaDims) + "]";
  if (!std::is_sorted(sharding.iotaPermutation.begin(), sharding.iotaPermutation.end()))
    text += "T(" + listed(sharding.iotaPermutation) + ")";
  return text + subgroupsText(sharding.subgroups) + "}";
}

StatusOr<Sharding> parseSharding(std::string_view text) { return Parser(text).parse(); }

StatusOr<std::vector<AnnotatedSharding>> parseAnnotation(std::string_view bytes) {
  // No message begins with this byte: it would be of a kind of field that there is no more.
  return bytes.starts_with("{") ? Parser(bytes).parseAll() : parseShardingProto(bytes);
}

} // namespace tenon::program
