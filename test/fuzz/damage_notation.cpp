#include "test/fuzz/damage.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <limits>

namespace tenon::fuzz {

using llvm::StringRef;

namespace {

struct Place {
  size_t begin, size;
};

using Words = std::vector<StringRef>;

// Words of which one may stand where another does. The same word may be in several lists.
const std::vector<Words> &kinds() {
  static const std::vector<Words> all = {
      {"i1",       "i2",         "i4",        "i8",     "i16",    "i32",      "i64",        "ui2",
       "ui4",      "ui8",        "ui16",      "ui32",   "ui64",   "si32",     "i3",         "i128",
       "f4E2M1FN", "f6E2M3FN",   "f6E3M2FN",  "f8E3M4", "f8E4M3", "f8E4M3FN", "f8E4M3FNUZ", "f8E4M3B11FNUZ",
       "f8E5M2",   "f8E5M2FNUZ", "f8E8M0FNU", "bf16",   "f16",    "f32",      "f64",        "tf32",
       "f80",      "index",      "none"},
      {"EQ", "NE", "GE", "GT", "LE", "LT"},
      {"NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"},
      {"DEFAULT", "HIGH", "HIGHEST", "PACKED_NIBBLE"},
      {"FFT", "IFFT", "RFFT", "IRFFT"},
      {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT", "TRANSPOSE_INVALID"},
      {"DEFAULT", "THREE_FRY", "PHILOX"},
      {"UNIFORM", "NORMAL"},
      {"DEFAULT", "HIGHEST", "TOLERANCE"},
      {"true", "false", "unit"},
      {"b", "f", "i", "o", "0", "1", "2", "?"},
      {"tensor", "vector", "memref", "tuple"}};
  return all;
}

bool isWord(char c) { return llvm::isAlnum(c) || c == '_'; }

// Numbers that stand alone or among sizes: not those in names such as f32.
std::vector<Place> numbersIn(StringRef text) {
  std::vector<Place> places;
  for (size_t i = 0; i < text.size(); ++i) {
    if (!llvm::isDigit(text[i]))
      continue;
    size_t begin = i > 0 && text[i - 1] == '-' ? i - 1 : i;
    size_t end = std::min(text.find_if_not(llvm::isDigit, i), text.size());
    bool inName = begin > 0 && (isWord(text[begin - 1]) || text[begin - 1] == '.') && text[begin - 1] != 'x';
    if (!inName)
      places.push_back({begin, end - begin});
    i = end;
  }
  return places;
}

std::vector<Place> wordsIn(StringRef text) {
  std::vector<Place> places;
  auto isKnown = [](StringRef word) {
    return llvm::any_of(kinds(), [&](const Words &words) { return llvm::is_contained(words, word); });
  };
  for (size_t i = 0; i < text.size(); ++i) {
    if (!isWord(text[i]))
      continue;
    size_t end = std::min(text.find_if_not(isWord, i), text.size());
    // An element type has the sizes before it: 2x3xf32.
    size_t begin = llvm::isDigit(text[i]) ? text.slice(i, end).rfind('x') + 1 : 0;
    begin = begin == 0 ? i : i + begin;
    if (isKnown(text.slice(begin, end)))
      places.push_back({begin, end - begin});
    i = end;
  }
  return places;
}

// What is between brackets without others inside, and the numbers of array<i64: 1, 2>.
std::vector<Place> listsIn(StringRef text) {
  std::vector<Place> places;
  for (size_t i = 0; i < text.size(); ++i) {
    StringRef rest = text.substr(i);
    bool isArray = rest.starts_with(": ") && text.take_front(i).contains("array<");
    if (text[i] != '[' && !isArray)
      continue;
    size_t begin = i + (isArray ? 2 : 1), end = text.find_first_of("[]>", begin);
    if (end != StringRef::npos && text[end] != '[')
      places.push_back({begin, end - begin});
  }
  return places;
}

template <typename T> const T &anyOf(const std::vector<T> &choices, std::mt19937_64 &random) {
  return choices[random() % choices.size()];
}

std::string replaced(StringRef text, Place place, const std::string &by) {
  return (text.take_front(place.begin) + by + text.drop_front(place.begin + place.size)).str();
}

std::string otherWord(StringRef word, std::mt19937_64 &random) {
  std::vector<const Words *> fitting;
  for (const Words &words : kinds())
    if (llvm::is_contained(words, word))
      fitting.push_back(&words);
  return anyOf(*anyOf(fitting, random), random).str();
}

std::string otherList(StringRef list, std::mt19937_64 &random) {
  std::vector<std::string> items;
  for (StringRef item : llvm::split(list, ", "))
    if (!item.empty())
      items.push_back(item.str());
  auto any = [&] { return random() % items.size(); };
  if (items.empty())
    return std::to_string(random() % 3);
  switch (random() % 6) {
  case 0:
    items.erase(items.begin() + static_cast<ptrdiff_t>(any()));
    break;
  case 1: {
    std::string item = items[any()];
    items.insert(items.begin() + static_cast<ptrdiff_t>(any()), item);
    break;
  }
  case 2:
    items.push_back(std::to_string(random() % 4));
    break;
  case 3:
    items[any()] = items[any()];
    break;
  case 4:
    items.clear();
    break;
  default:
    std::swap(items[any()], items[any()]);
  }
  return llvm::join(items, ", ");
}

} // namespace

int64_t otherNumber(int64_t number, std::mt19937_64 &random) {
  constexpr int64_t kLargest = std::numeric_limits<int64_t>::max(), kLeast = std::numeric_limits<int64_t>::min();
  static const std::vector<int64_t> extremes = {kLargest,
                                                kLeast,
                                                kLeast + 1,
                                                int64_t{1} << 31,
                                                (int64_t{1} << 31) - 1,
                                                -(int64_t{1} << 31),
                                                int64_t{1} << 32,
                                                int64_t{1} << 40,
                                                100,
                                                1000};
  auto wrapped = [&](uint64_t difference) { return static_cast<int64_t>(static_cast<uint64_t>(number) + difference); };
  switch (random() % 12) {
  case 0:
  case 1:
  case 2:
    return wrapped(1);
  case 3:
  case 4:
  case 5:
    return wrapped(-1);
  case 6:
    return 0;
  case 7:
    return -1;
  case 8:
    return 1;
  case 9:
    return wrapped(static_cast<uint64_t>(number));
  case 10:
    return static_cast<int64_t>(random() % 6);
  default:
    return anyOf(extremes, random);
  }
}

std::string damagedNotation(StringRef text, std::mt19937_64 &random) {
  std::vector<Place> numbers = numbersIn(text), words = wordsIn(text), lists = listsIn(text);
  for (int attempt = 0; attempt < 8; ++attempt) {
    uint64_t kind = random() % 4;
    std::string result = text.str();
    if (kind <= 1 && !numbers.empty()) {
      Place place = anyOf(numbers, random);
      int64_t number;
      if (!text.substr(place.begin, place.size).getAsInteger(10, number))
        result = replaced(text, place, std::to_string(otherNumber(number, random)));
    } else if (kind == 2 && !words.empty()) {
      Place place = anyOf(words, random);
      result = replaced(text, place, otherWord(text.substr(place.begin, place.size), random));
    } else if (kind == 3 && !lists.empty()) {
      Place place = anyOf(lists, random);
      result = replaced(text, place, otherList(text.substr(place.begin, place.size), random));
    }
    if (result != text)
      return result;
  }
  return text.str();
}

} // namespace tenon::fuzz
