// Changes MLIR bytecode inside its structure: libFuzzer's own changes move everything behind them, so that lengths and
// offsets no longer fit and the reader stops at once. Half of the changes are made to the contents of one section, or
// of one attribute or type, and the lengths written anew.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace {

// Reads nothing behind the end.
class Input {
public:
  explicit Input(std::string_view bytes) : rest_(bytes) {}

  // A read that failed takes nothing: a loop up to the end asks failed(), too.
  bool atEnd() const { return rest_.empty(); }
  bool failed() const { return bad_; }
  size_t remaining() const { return rest_.size(); }
  std::string_view bytes(uint64_t count) {
    bad_ |= count > rest_.size();
    std::string_view taken = bad_ ? std::string_view() : rest_.substr(0, count);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  uint64_t number() {
    std::string_view first = bytes(1);
    if (bad_)
      return 0;
    auto low = static_cast<uint8_t>(first[0]);
    int following = low ? __builtin_ctz(low) : 8;
    std::string_view more = bytes(following);
    uint64_t high = 0;
    std::copy(more.begin(), more.end(), reinterpret_cast<char *>(&high));
    return low ? high << (7 - following) | low >> (following + 1) : high;
  }

private:
  std::string_view rest_;
  bool bad_ = false;
};

// Always in nine bytes, or one: how many a number takes matters to nobody.
void append(std::string &out, uint64_t number) {
  if (number < 128) {
    out += static_cast<char>(number << 1 | 1);
    return;
  }
  out += '\0';
  out.append(reinterpret_cast<const char *>(&number), 8);
}

struct Section {
  uint8_t id;
  std::optional<uint64_t> alignment;
  std::string bytes;
};

struct File {
  std::string head; // magic number, version, producer
  std::vector<Section> sections;

  Section *find(uint8_t id) {
    for (Section &section : sections)
      if (section.id == id)
        return &section;
    return nullptr;
  }
};

std::optional<File> parse(std::string_view bytes) {
  File file;
  size_t end = bytes.find('\0', 5);
  if (!bytes.starts_with("ML\xefR") || end == std::string_view::npos)
    return std::nullopt;
  file.head = bytes.substr(0, end + 1);
  for (Input input(bytes.substr(end + 1)); !input.atEnd();) {
    std::string_view kind = input.bytes(1);
    uint64_t length = input.number();
    Section section{static_cast<uint8_t>(kind[0] & 0x7f), std::nullopt, {}};
    if (kind[0] & 0x80) {
      section.alignment = input.number();
      size_t offset = bytes.size() - input.remaining();
      uint64_t alignment = *section.alignment;
      if (alignment == 0 || alignment > 1 << 16)
        return std::nullopt;
      input.bytes((alignment - offset % alignment) % alignment);
    }
    section.bytes = input.bytes(length);
    if (input.failed())
      return std::nullopt;
    file.sections.push_back(std::move(section));
  }
  return file;
}

std::string write(const File &file) {
  std::string out = file.head;
  for (const Section &section : file.sections) {
    out += static_cast<char>(section.id | (section.alignment ? 0x80 : 0));
    append(out, section.bytes.size());
    if (section.alignment) {
      append(out, *section.alignment);
      while (out.size() % *section.alignment)
        out += '\xcb';
    }
    out += section.bytes;
  }
  return out;
}

void mutate(std::string &bytes) {
  std::vector<uint8_t> buffer(bytes.size() + 64);
  std::memcpy(buffer.data(), bytes.data(), bytes.size());
  size_t size = LLVMFuzzerMutate(buffer.data(), bytes.size(), buffer.size());
  bytes.assign(reinterpret_cast<const char *>(buffer.data()), size);
}

// Takes the bytes for numbers, and makes one of them an extreme or a neighbour.
void mutateNumber(std::string &bytes, std::mt19937 &random) {
  std::vector<uint64_t> numbers;
  for (Input input(bytes); !input.atEnd() && !input.failed();)
    numbers.push_back(input.number());
  if (numbers.empty())
    return mutate(bytes);
  uint64_t &number = numbers[random() % numbers.size()];
  switch (random() % 4) {
  case 0: // a size, doubled for its sign
    number = uint64_t(2) << random() % 63;
    break;
  case 1:
    number = ~uint64_t(0) >> random() % 64;
    break;
  case 2:
    number += random() % 2 ? 1 : -1;
    break;
  default:
    number = numbers[random() % numbers.size()];
  }
  bytes.clear();
  for (uint64_t value : numbers)
    append(bytes, value);
}

constexpr uint8_t kAttrTypeSection = 2, kAttrTypeOffsetSection = 3;

// Changes one attribute or type. The offsets are counts, then groups of one dialect: its number, how many, each one's
// size with a flag in the lowest bit.
bool mutateEntry(File &file, std::mt19937 &random) {
  Section *data = file.find(kAttrTypeSection), *offsets = file.find(kAttrTypeOffsetSection);
  if (!data || !offsets)
    return false;
  Input input(offsets->bytes);
  uint64_t total = input.number();
  std::string changed;
  append(changed, total);
  uint64_t types = input.number();
  append(changed, types);
  total += types;
  if (input.failed() || total == 0 || total > data->bytes.size())
    return false;
  uint64_t chosen = random() % total, at = 0, position = 0;
  while (!input.atEnd()) {
    append(changed, input.number());
    uint64_t count = input.number();
    append(changed, count);
    if (input.failed() || count > input.remaining())
      return false;
    for (; count; --count, ++at) {
      uint64_t number = input.number(), size = number >> 1;
      if (input.failed() || size > data->bytes.size() - position)
        return false;
      if (at == chosen) {
        std::string entry = data->bytes.substr(position, size);
        random() % 2 ? mutate(entry) : mutateNumber(entry, random);
        data->bytes.replace(position, size, entry);
        size = entry.size();
      }
      append(changed, size << 1 | (number & 1));
      position += size;
    }
  }
  offsets->bytes = std::move(changed);
  return !input.failed();
}

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize, unsigned seed) {
  std::mt19937 random(seed);
  std::optional<File> file;
  if (random() % 2)
    file = parse({reinterpret_cast<const char *>(data), size});
  if (!file || file->sections.empty())
    return LLVMFuzzerMutate(data, size, maxSize);
  if (random() % 2 == 0 || !mutateEntry(*file, random))
    mutate(file->sections[random() % file->sections.size()].bytes);
  std::string bytes = write(*file);
  if (bytes.size() > maxSize)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::copy(bytes.begin(), bytes.end(), data);
  return bytes.size();
}
