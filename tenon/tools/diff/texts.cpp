// Lines are aligned by the algorithm of Myers (1986) on what they say but for the names of values; then a walk over
// those that both have checks that their names go together one to one.

#include "tenon/tools/diff/diff.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <map>

namespace tenon::tools {

namespace {

using Lines = llvm::SmallVector<llvm::StringRef, 0>;

// Beyond so many differing lines, everything between the equal beginnings and ends counts as different.
constexpr int64_t kMaxDifferences = 4000;

bool isNameChar(char c) { return llvm::isAlnum(c) || c == '_' || c == '#' || c == '$' || c == '-' || c == '.'; }

// The line without the names of its values, which go to `names`, each with whether it is defined here.
struct Name {
  std::string text;
  bool isDefined;
};
std::string withoutNames(llvm::StringRef line, std::vector<Name> *names = nullptr) {
  std::string text;
  size_t equals = line.find(" = ");
  for (size_t i = 0; i < line.size(); ++i) {
    text += line[i];
    if (line[i] != '%')
      continue;
    size_t end = i + 1;
    while (end < line.size() && isNameChar(line[end]))
      ++end;
    llvm::StringRef rest = line.substr(end);
    // Results of an op, arguments of functions and blocks, and those of loops.
    bool isDefined = (equals != llvm::StringRef::npos && i < equals) || rest.starts_with(":") || rest.starts_with(" =");
    if (names)
      names->push_back({line.slice(i, end).split('#').first.str(), isDefined});
    i = end - 1;
  }
  return text;
}

// Pairs of equal lines, in order.
using Pairs = std::vector<std::pair<int64_t, int64_t>>;

class Alignment {
public:
  Alignment(llvm::ArrayRef<std::string> a, llvm::ArrayRef<std::string> b) : a_(a), b_(b) {}

  Pairs run() {
    Pairs pairs;
    int64_t begin = 0, endA = std::ssize(a_), endB = std::ssize(b_);
    for (; begin < std::min(endA, endB) && a_[begin] == b_[begin]; ++begin)
      pairs.emplace_back(begin, begin);
    Pairs ends;
    for (; endA > begin && endB > begin && a_[endA - 1] == b_[endB - 1]; --endA, --endB)
      ends.emplace_back(endA - 1, endB - 1);
    first_ = begin;
    sizeA_ = endA - begin;
    sizeB_ = endB - begin;
    llvm::append_range(pairs, middle());
    pairs.insert(pairs.end(), ends.rbegin(), ends.rend());
    return pairs;
  }

private:
  bool equal(int64_t x, int64_t y) const { return a_[first_ + x] == b_[first_ + y]; }

  // The furthest x on each diagonal, for each number of differences so far.
  Pairs middle() {
    int64_t limit = std::min(sizeA_ + sizeB_, kMaxDifferences);
    std::map<int64_t, int64_t> furthest{{1, 0}};
    std::vector<std::map<int64_t, int64_t>> steps;
    for (int64_t d = 0; d <= limit; ++d) {
      steps.push_back(furthest);
      for (int64_t k = -d; k <= d; k += 2) {
        int64_t x = comesFromAbove(furthest, k, d) ? furthest[k + 1] : furthest[k - 1] + 1;
        while (x < sizeA_ && x - k < sizeB_ && equal(x, x - k))
          ++x;
        furthest[k] = x;
        if (x >= sizeA_ && x - k >= sizeB_)
          return back(steps, d);
      }
    }
    return {};
  }

  static bool comesFromAbove(std::map<int64_t, int64_t> &furthest, int64_t k, int64_t d) {
    return k == -d || (k != d && furthest[k - 1] < furthest[k + 1]);
  }

  Pairs back(std::vector<std::map<int64_t, int64_t>> &steps, int64_t d) const {
    Pairs pairs;
    int64_t x = sizeA_, y = sizeB_;
    for (; d >= 0; --d) {
      std::map<int64_t, int64_t> &furthest = steps[d];
      int64_t k = x - y, previous = comesFromAbove(furthest, k, d) ? k + 1 : k - 1;
      int64_t fromX = furthest[previous], fromY = fromX - previous;
      while (x > std::max<int64_t>(fromX, 0) && y > std::max<int64_t>(fromY, 0))
        pairs.emplace_back(first_ + --x, first_ + --y);
      x = fromX;
      y = fromY;
    }
    std::reverse(pairs.begin(), pairs.end());
    return pairs;
  }

  llvm::ArrayRef<std::string> a_, b_;
  int64_t first_ = 0, sizeA_ = 0, sizeB_ = 0;
};

// Which names of the one program are which of the other.
class Names {
public:
  // Whether a line that both have means the same values.
  bool match(llvm::StringRef a, llvm::StringRef b) {
    std::vector<Name> inA, inB;
    withoutNames(a, &inA);
    withoutNames(b, &inB);
    if (a.contains("func.func")) {
      ofA_.clear();
      ofB_.clear();
    }
    bool agree = true;
    for (auto [nameA, nameB] : llvm::zip(inA, inB)) {
      if (nameA.isDefined && nameB.isDefined) {
        ofA_[nameA.text] = nameB.text;
        ofB_[nameB.text] = nameA.text;
      } else {
        // What neither knows comes of lines that differ, which have been written.
        agree &= ofA_.try_emplace(nameA.text, nameB.text).first->second == nameB.text &&
                 ofB_.try_emplace(nameB.text, nameA.text).first->second == nameA.text;
      }
    }
    return agree;
  }

private:
  llvm::StringMap<std::string> ofA_, ofB_;
};

Lines linesOf(llvm::StringRef text) {
  Lines lines;
  text.rtrim('\n').split(lines, '\n');
  return lines;
}

std::vector<std::string> keysOf(const Lines &lines) {
  std::vector<std::string> keys;
  for (llvm::StringRef line : lines)
    keys.push_back(withoutNames(line));
  return keys;
}

// "stablehlo.add" of a line that has an operation, otherwise empty.
llvm::StringRef opOf(llvm::StringRef line) {
  llvm::StringRef text = line.trim();
  if (size_t equals = text.find(" = "); text.starts_with("%") && equals != llvm::StringRef::npos)
    text = text.substr(equals + 3).ltrim('"');
  llvm::StringRef name = text.take_while([](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
  return name.contains('.') && llvm::isAlpha(name.front()) ? name : "";
}

void writeCounts(const Lines &a, const Lines &b, llvm::raw_ostream &out) {
  std::map<std::string, std::pair<int64_t, int64_t>> counts;
  for (llvm::StringRef line : a)
    ++counts[opOf(line).str()].first;
  for (llvm::StringRef line : b)
    ++counts[opOf(line).str()].second;
  counts.erase("");
  for (const auto &[op, count] : counts)
    if (count.first != count.second)
      out << op << ": " << count.first << " -> " << count.second << "\n";
}

// The functions' heads stand above what differs in them.
class Writer {
public:
  Writer(const Lines &a, const Lines &b, llvm::raw_ostream &out) : a_(a), b_(b), out_(out) {}

  void advance(int64_t endA, int64_t endB) {
    for (; atA_ < endA; ++atA_)
      write('-', a_[atA_]);
    for (; atB_ < endB; ++atB_)
      write('+', b_[atB_]);
  }

  void pass(bool areSame) {
    llvm::StringRef line = a_[atA_];
    if (line.contains("func.func"))
      function_ = line;
    if (areSame) {
      ++atA_;
      ++atB_;
    } else {
      advance(atA_ + 1, atB_ + 1);
    }
  }

  bool differs() const { return differs_; }

private:
  void write(char sign, llvm::StringRef line) {
    if (!function_.empty() && function_ != line)
      out_ << "@@ " << function_.trim() << "\n";
    function_ = "";
    out_ << sign << line << "\n";
    differs_ = true;
  }

  const Lines &a_, &b_;
  llvm::raw_ostream &out_;
  int64_t atA_ = 0, atB_ = 0;
  llvm::StringRef function_; // where nothing has been written of it
  bool differs_ = false;
};

} // namespace

bool diffTexts(llvm::StringRef a, llvm::StringRef b, llvm::raw_ostream &out) {
  Lines linesA = linesOf(a), linesB = linesOf(b);
  std::vector<std::string> keysA = keysOf(linesA), keysB = keysOf(linesB);
  Names names;
  writeCounts(linesA, linesB, out);
  Writer writer(linesA, linesB, out);
  for (auto [inA, inB] : Alignment(keysA, keysB).run()) {
    writer.advance(inA, inB);
    writer.pass(names.match(linesA[inA], linesB[inB]));
  }
  writer.advance(std::ssize(linesA), std::ssize(linesB));
  return writer.differs();
}

} // namespace tenon::tools
