#include "tenon/tools/diff/diff.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

#include <optional>
#include <set>

namespace tenon::tools {

using nlohmann::json;

namespace {

// A report's list of how long each stage took.
constexpr const char *kTimes = "stages";

class Comparison {
public:
  explicit Comparison(llvm::raw_ostream &out) : out_(out) {}

  void compare(const std::string &path, const json &a, const json &b) {
    if (a.is_object() && b.is_object())
      compareObjects(path, a, b);
    else if (a.is_array() && b.is_array())
      compareLists(path, a, b);
    else if (a != b)
      writeChange(path, a, b);
  }

  bool differs() const { return differs_; }

private:
  void compareObjects(const std::string &path, const json &a, const json &b) {
    std::set<std::string> keys;
    for (const json *object : {&a, &b})
      for (const auto &entry : object->items())
        keys.insert(entry.key());
    keys.erase(kTimes);
    for (const std::string &key : keys)
      compareMembers(path.empty() ? key : path + "." + key, a.contains(key) ? &a.at(key) : nullptr,
                     b.contains(key) ? &b.at(key) : nullptr);
  }

  void compareMembers(const std::string &path, const json *a, const json *b) {
    if (a && b)
      return compare(path, *a, *b);
    out_ << (a ? "- " : "+ ") << path << brief(a ? *a : *b) << "\n";
    differs_ = true;
  }

  // The names of objects in a list, if all have one and no two the same.
  static std::optional<std::vector<std::string>> namesOf(const json &list) {
    std::vector<std::string> names;
    std::set<std::string> distinct;
    for (const json &element : list) {
      if (!element.is_object() || !element.contains("name") || !element.at("name").is_string())
        return std::nullopt;
      names.push_back(element.at("name").get<std::string>());
      if (!distinct.insert(names.back()).second)
        return std::nullopt;
    }
    return names;
  }

  void compareLists(const std::string &path, const json &a, const json &b) {
    auto namesA = namesOf(a), namesB = namesOf(b);
    if (namesA && namesB && !(namesA->empty() && namesB->empty()))
      return compareNamed(path, a, *namesA, b, *namesB);
    auto isPlain = [](const json &element) { return element.is_primitive(); };
    if (llvm::all_of(a, isPlain) && llvm::all_of(b, isPlain)) {
      if (a != b)
        writeChange(path, a, b);
      return;
    }
    for (size_t i = 0; i < std::max(a.size(), b.size()); ++i)
      compareMembers(path + "[" + std::to_string(i) + "]", i < a.size() ? &a[i] : nullptr,
                     i < b.size() ? &b[i] : nullptr);
  }

  void compareNamed(const std::string &path, const json &a, const std::vector<std::string> &namesA, const json &b,
                    const std::vector<std::string> &namesB) {
    auto place = [&](const std::string &name) { return path + "[" + name + "]"; };
    for (auto [i, name] : llvm::enumerate(namesA)) {
      const auto *found =
          llvm::find(namesB, name) == namesB.end() ? nullptr : &b[llvm::find(namesB, name) - namesB.begin()];
      compareMembers(place(name), &a[i], found);
    }
    for (auto [i, name] : llvm::enumerate(namesB))
      if (!llvm::is_contained(namesA, name))
        compareMembers(place(name), nullptr, &b[i]);
  }

  // What a line can show of a value.
  static std::string brief(const json &value) {
    std::string text;
    if (value.is_object()) {
      for (const auto &entry : value.items())
        if (entry.key() != "name" && entry.value().is_primitive())
          text += (text.empty() ? ": " : ", ") + entry.key() + " " + printed(entry.value());
      return text;
    }
    return ": " + printed(value);
  }

  static std::string printed(const json &value) {
    return value.dump(-1, ' ', /*ensure_ascii=*/false, json::error_handler_t::replace);
  }

  void writeChange(const std::string &path, const json &a, const json &b) {
    out_ << path << ": " << printed(a) << " -> " << printed(b);
    if (a.is_number() && b.is_number() && a.get<double>() != 0)
      out_ << llvm::format(" (%.3g times)", b.get<double>() / a.get<double>());
    out_ << "\n";
    differs_ = true;
  }

  llvm::raw_ostream &out_;
  bool differs_ = false;
};

} // namespace

bool diffJson(const json &a, const json &b, llvm::raw_ostream &out) {
  Comparison comparison(out);
  comparison.compare("", a, b);
  return comparison.differs();
}

} // namespace tenon::tools
