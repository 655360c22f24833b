// The picture of a memory plan, drawn from left to right: above, the arena with a rectangle for each buffer and the
// time in which it is needed; below, how many bytes are in use. Everything is text that the program may have chosen,
// so everything is escaped.
#include "tenon/tools/memory_report.h"

#include "tenon/program/memory.h"
#include "tenon/tools/report.h"
#include "tenon/tools/svg.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

namespace tenon::tools {
namespace {

using program::BufferEntry;

constexpr double kWidth = 1080, kLeft = 84, kRight = 24, kTop = 104, kArenaHeight = 400, kGap = 44, kUseHeight = 110;
constexpr double kHeight = kTop + kArenaHeight + kGap + kUseHeight + 52;
constexpr size_t kColors = 7; // of the ops with the most bytes; one more for the others

class Picture {
public:
  explicit Picture(const program::Program &program)
      : program_(program), summary_(program::summarizeMemory(program)), out_(text_) {}

  std::string draw() {
    chooseColors();
    out_ << llvm::formatv("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"picture\" viewBox=\"0 0 {0} {1}\" "
                          "width=\"{0}\" height=\"{1}\">\n<style>{2}</style>\n",
                          kWidth, kHeight, kPictureStyle);
    out_ << llvm::formatv("<rect class=\"paper\" width=\"{0}\" height=\"{1}\"/>\n", kWidth, kHeight);
    drawTitle();
    drawLoops();
    drawArenaAxis();
    for (auto [index, buffer] : llvm::enumerate(program_.report.buffers))
      if (buffer.offset >= 0)
        drawBuffer(index, buffer);
    drawUse();
    drawPeak();
    drawSteps();
    out_ << "</svg>\n";
    return text_;
  }

private:
  static std::string ownerOf(const BufferEntry &buffer) {
    return buffer.values.empty() ? "workspace" : buffer.values.front().op;
  }

  void chooseColors() {
    llvm::StringMap<int64_t> bytes;
    for (const BufferEntry &buffer : program_.report.buffers)
      if (buffer.offset >= 0)
        bytes[ownerOf(buffer)] += buffer.size;
    std::vector<std::pair<int64_t, std::string>> order;
    for (auto &entry : bytes)
      order.emplace_back(-entry.second, entry.first().str());
    llvm::sort(order);
    for (auto &[size, owner] : order)
      owners_.push_back(owner);
  }

  size_t colorOf(const BufferEntry &buffer) const {
    return std::min<size_t>(llvm::find(owners_, ownerOf(buffer)) - owners_.begin(), kColors);
  }

  double x(double half) const {
    return kLeft + (kWidth - kLeft - kRight) * half / std::max<double>(1, 2 * program_.report.steps.size());
  }
  double y(double offset) const {
    return kTop + kArenaHeight * (1 - offset / std::max<double>(1, program_.arenaBytes));
  }
  double useY(double bytes) const {
    return kTop + kArenaHeight + kGap + kUseHeight * (1 - bytes / std::max<double>(1, program_.arenaBytes));
  }

  void write(double atX, double atY, llvm::StringRef what, llvm::StringRef attributes = "") {
    out_ << llvm::formatv("<text x=\"{0:f1}\" y=\"{1:f1}\"{2}>{3}</text>\n", atX, atY, attributes, escapedXml(what));
  }

  void rectangle(double x0, double y0, double x1, double y1, llvm::StringRef attributes, llvm::StringRef title) {
    out_ << llvm::formatv("<rect x=\"{0:f2}\" y=\"{1:f2}\" width=\"{2:f2}\" height=\"{3:f2}\" {4}>", x0, y0,
                          std::max(x1 - x0, 0.4), std::max(y1 - y0, 0.4), attributes);
    out_ << "<title>" << escapedXml(title) << "</title></rect>\n";
  }

  void drawTitle() {
    write(kLeft, 26, "Memory of " + (program_.name.empty() ? "the program" : program_.name), " class=\"title\"");
    std::string facts =
        "arena " + humanBytes(double(program_.arenaBytes)) + ", at most " + humanBytes(double(summary_.peakBytes)) +
        " in use (" + llvm::formatv("{0:f1}", 100 * summary_.fragmentation).str() + " % fragmentation) · arguments " +
        humanBytes(double(summary_.argumentBytes)) + " · results " + humanBytes(double(summary_.resultBytes)) +
        " · constants " + humanBytes(double(summary_.constantBytes)) + " · scratch of a worker " +
        humanBytes(double(cpuCode(program_).scratchBytes));
    write(kLeft, 46, facts, " class=\"soft\"");
    double at = kLeft;
    for (size_t color = 0; color < std::min(owners_.size(), kColors + 1); ++color) {
      std::string name = color == kColors ? "others" : owners_[color];
      if (name.size() > 30)
        name = name.substr(0, 29) + "...";
      out_ << llvm::formatv("<rect x=\"{0:f1}\" y=\"62\" width=\"11\" height=\"11\" rx=\"2\" fill=\"var(--c{1})\"/>\n",
                            at, color);
      write(at + 16, 72, name, " class=\"soft\"");
      at += 30 + 6.4 * double(name.size());
    }
  }

  // A band behind what is in a loop or a branch.
  void drawLoops() {
    for (auto [index, step] : llvm::enumerate(program_.report.steps))
      if (step.kind == program::StepEntry::Kind::kEnd && step.depth == 0)
        rectangle(x(2 * step.index), kTop, x(2 * double(index) + 2), useY(0), "class=\"band\"",
                  step.op + " " + step.location);
  }

  void drawArenaAxis() {
    write(kLeft, kTop - 10, "offset in the arena", " class=\"soft\"");
    for (int i = 0; i <= 4; ++i) {
      double offset = double(program_.arenaBytes) * i / 4;
      out_ << llvm::formatv("<path class=\"line\" d=\"M{0} {1:f1}H{2}\"/>\n", kLeft, y(offset), kWidth - kRight);
      write(kLeft - 8, y(offset) + 4, humanBytes(offset), " class=\"soft\" text-anchor=\"end\"");
    }
  }

  std::string describe(const BufferEntry &buffer, bool isAtPeak) const {
    std::string about = program::describeBuffer(program_, buffer) + ", " + humanBytes(double(buffer.size)) + " at " +
                        std::to_string(buffer.offset) + (isAtPeak ? ", in use at the peak" : "");
    if (!buffer.live.empty())
      about += "\nfrom " + program::describeStep(program_, size_t(buffer.live.front().first / 2)) + " to " +
               program::describeStep(program_, size_t(buffer.live.back().second / 2));
    for (size_t i = 0; i < std::min<size_t>(buffer.values.size(), 12); ++i) {
      const program::ValueEntry &value = buffer.values[i];
      about += "\n" + value.shape.toString() + " " + value.op + (value.location.empty() ? "" : " " + value.location) +
               (value.note.empty() ? "" : " (" + value.note + ")");
    }
    if (buffer.values.size() > 12)
      about += "\n... and " + std::to_string(buffer.values.size() - 12) + " more";
    return about;
  }

  void drawBuffer(size_t index, const BufferEntry &buffer) {
    std::string title = describe(buffer, llvm::is_contained(summary_.aliveAtPeak, int32_t(index)));
    double top = y(double(buffer.offset + buffer.size)), bottom = y(double(buffer.offset));
    std::string attributes = llvm::formatv("class=\"{2}\" data-step=\"{0}\" fill=\"var(--c{1})\"",
                                           buffer.live.empty() ? -1 : buffer.live.front().first / 2, colorOf(buffer),
                                           bottom - top < 4 ? "buffer thin" : "buffer");
    for (auto [begin, end] : buffer.live) {
      rectangle(x(begin), top, x(end + 1), bottom, attributes, title);
      std::string label = buffer.values.empty() ? buffer.purpose : buffer.values.front().shape.toString();
      if (bottom - top > 13 && x(end + 1) - x(begin) > 6.6 * double(label.size()) + 8)
        write(x(begin) + 5, (top + bottom) / 2 + 4, label, " class=\"label\"");
    }
  }

  void drawUse() {
    double base = useY(0);
    write(kLeft, useY(double(program_.arenaBytes)) - 8, "in use", " class=\"soft\"");
    for (double part : {0.0, 1.0}) {
      double bytes = part * double(program_.arenaBytes);
      out_ << llvm::formatv("<path class=\"line\" d=\"M{0} {1:f1}H{2}\"/>\n", kLeft, useY(bytes), kWidth - kRight);
      write(kLeft - 8, useY(bytes) + 4, humanBytes(bytes), " class=\"soft\" text-anchor=\"end\"");
    }
    if (summary_.liveBytes.empty())
      return;
    out_ << llvm::formatv("<path class=\"use\" d=\"M{0:f2} {1:f2}", x(0), base);
    for (auto [half, bytes] : llvm::enumerate(summary_.liveBytes))
      out_ << llvm::formatv("V{0:f2}H{1:f2}", useY(double(bytes)), x(double(half) + 1));
    out_ << llvm::formatv("V{0:f2}Z\"/>\n", base);
  }

  void drawPeak() {
    if (summary_.peakStep < 0)
      return;
    double at = x(2 * summary_.peakStep + 1);
    out_ << llvm::formatv("<path class=\"peak\" d=\"M{0:f1} {1:f1}V{2:f1}\"/>\n", at, kTop, useY(0));
    bool isLeft = at > kWidth / 2;
    write(at + (isLeft ? -6 : 6), kTop + kArenaHeight + 20,
          "peak: step " + std::to_string(summary_.peakStep) + ", " +
              program::describeStep(program_, size_t(summary_.peakStep)),
          isLeft ? " class=\"peaktext\" text-anchor=\"end\"" : " class=\"peaktext\"");
  }

  void drawSteps() {
    size_t count = program_.report.steps.size();
    size_t every = 1;
    for (size_t factor = 2; count / every > 16; factor = factor == 2 ? 5 : 2)
      every *= factor == 2 ? 2 : 5;
    for (size_t step = 0; step < count; step += every)
      write(x(2 * double(step) + 1), useY(0) + 18, std::to_string(step), " class=\"soft\" text-anchor=\"middle\"");
    write(kLeft, useY(0) + 38, "steps of the program, in order", " class=\"soft\"");
  }

  const program::Program &program_;
  program::MemorySummary summary_;
  std::vector<std::string> owners_; // ops that buffers are of, those with the most bytes first
  std::string text_;
  llvm::raw_string_ostream out_;
};

} // namespace

std::string memoryPicture(const program::Program &program) { return Picture(program).draw(); }

} // namespace tenon::tools
