#include "tenon/server/kserve/json_reader.h"

namespace tenon::kserve {
namespace {

using nlohmann::json;

// Beside the elements of tensors, a request is a few values deep and, for each tensor, a few values long.
constexpr size_t kMaxDepth = 16;
constexpr size_t kMaxValues = 1 << 16;

// Takes the events of nlohmann's parser. Each returns whether it is to go on.
class Reader final : public nlohmann::json_sax<json> {
public:
  JsonRequest result;
  Status status;

  bool null() override { return element("null") && add(nullptr); }
  bool boolean(bool value) override { return isInData() ? number(value) : add(value); }
  bool number_integer(int64_t value) override { return isInData() ? number(value) : add(value); }
  bool number_unsigned(uint64_t value) override { return isInData() ? number(value) : add(value); }
  bool number_float(double value, const std::string &) override { return isInData() ? number(value) : add(value); }
  bool string(std::string &value) override { return element("a string") && add(std::move(value)); }
  bool binary(json::binary_t &) override { return refuse("JSON has no binary values"); }

  bool start_object(size_t) override { return element("an object") && open(json::object()); }
  bool end_object() override { return close(); }
  bool key(std::string &name) override {
    key_ = std::move(name);
    return true;
  }

  bool start_array(size_t) override {
    if (isInData()) {
      ++dataDepth_;
      return true;
    }
    if (open_.size() == 3 && isInInputs_ && open_.back()->is_object() && key_ == "data") {
      dataDepth_ = 1;
      result.data.emplace_back();
      return add(json::binary({}, result.data.size() - 1));
    }
    if (open_.size() == 1 && open_.back()->is_object())
      isInInputs_ = key_ == "inputs";
    return open(json::array());
  }
  bool end_array() override {
    if (!isInData())
      return close();
    --dataDepth_;
    return true;
  }

  bool parse_error(size_t place, const std::string &, const json::exception &) override {
    return refuse("the request is no JSON: it goes wrong at byte " + std::to_string(place));
  }

private:
  bool isInData() const { return dataDepth_ > 0; }
  bool refuse(std::string why) {
    status = invalidArgument(std::move(why));
    return false;
  }
  // Whether a value that is no number may stand here.
  bool element(const char *what) {
    return !isInData() || refuse(std::string("the data of an input are numbers, and there is ") + what);
  }
  bool number(JsonNumber value) {
    result.data.back().push_back(value);
    return true;
  }
  bool place(json value, json *&at) {
    if (++values_ > kMaxValues)
      return refuse("the request has more than " + std::to_string(kMaxValues) +
                    " values beside the data of its inputs");
    if (open_.empty())
      at = &(result.value = std::move(value));
    else if (open_.back()->is_array())
      at = &open_.back()->emplace_back(std::move(value));
    else
      at = &((*open_.back())[key_] = std::move(value));
    return true;
  }
  bool add(json value) {
    json *at = nullptr;
    return place(std::move(value), at);
  }
  bool open(json value) {
    json *at = nullptr;
    if (open_.size() >= kMaxDepth)
      return refuse("the request is nested more than " + std::to_string(kMaxDepth) + " deep");
    if (!place(std::move(value), at))
      return false;
    open_.push_back(at);
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  // The objects and arrays around the next value. A value in the list has no later sibling, so that it does not move.
  std::vector<json *> open_;
  std::string key_;
  size_t values_ = 0, dataDepth_ = 0;
  bool isInInputs_ = false;
};

} // namespace

StatusOr<JsonRequest> readJson(std::string_view text) {
  Reader reader;
  bool isRead = json::sax_parse(text.begin(), text.end(), &reader);
  TENON_RETURN_IF_ERROR(reader.status);
  if (!isRead)
    return invalidArgument("the request is no JSON");
  return std::move(reader.result);
}

} // namespace tenon::kserve
