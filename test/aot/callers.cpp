// Callers on several threads run the models of two objects at the same time: an instance each, one pool of threads for
// all of them. Every result has the bits of the files, and every error is that of its own run.
#include "nets.h"
#include "others.h"
#include "tenon_threads.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

enum { kCallers = 4, kRuns = 12, kThreads = 2 };

template <typename Element> std::vector<Element> read(const char *name) {
  std::FILE *file = std::fopen(name, "rb");
  if (!file) {
    std::perror(name);
    std::exit(100);
  }
  std::vector<Element> elements;
  for (Element element; std::fread(&element, sizeof element, 1, file) == 1;)
    elements.push_back(element);
  std::fclose(file);
  return elements;
}

template <typename Element> bool sameBits(const std::vector<Element> &a, const std::vector<Element> &b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Element)) == 0;
}

void require(bool holds, const std::string &what) {
  if (holds)
    return;
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(1);
}

// On the caller's thread alone, or with those of the pool.
template <typename Model> int run(Model &model, const TenonThreads *pool, int turn) {
  return turn % 2 ? model.run(pool) : model.run();
}

// What all callers read.
struct Files {
  std::vector<float> images = read<float>("images"), logits = read<float>("logits"), sequence = read<float>("sequence"),
                     state = read<float>("state"), cell = read<float>("cell");
  std::vector<int32_t> digit = read<int32_t>("digit");
};

template <typename Model> void callDigits(const Files &files, const TenonThreads *pool) {
  auto model = std::make_unique<Model>();
  for (int turn = 0; turn < kRuns; ++turn) {
    std::vector<float> logits(files.logits.size());
    std::vector<int32_t> digit(files.digit.size());
    model->arguments.images = files.images.data();
    model->results.logits = logits.data();
    model->results.digit = digit.data();
    require(run(*model, pool, turn) == NETS_DIGITS_OK, "digits fails");
    require(sameBits(logits, files.logits) && sameBits(digit, files.digit), "digits has other bits");
  }
}

template <typename Model> void callLstm(const Files &files, const TenonThreads *pool) {
  auto model = std::make_unique<Model>();
  for (int turn = 0; turn < kRuns; ++turn) {
    std::vector<float> state(files.state.size()), cell(files.cell.size());
    model->arguments.sequence = files.sequence.data();
    model->results.result_0 = state.data();
    model->results.result_1 = cell.data();
    require(run(*model, pool, turn) == NETS_LSTM_OK, "lstm fails");
    require(sameBits(state, files.state) && sameBits(cell, files.cell), "lstm has other bits");
  }
}

// Four elements, `size` of which are used; more than four is an error that says how many.
template <typename Model> void callBounded(int32_t caller, const TenonThreads *pool) {
  auto model = std::make_unique<Model>();
  for (int turn = 0; turn < kRuns; ++turn) {
    const float x[4] = {1, 2, 3, 4};
    float y[4] = {};
    int32_t size = turn % 3 ? 100 + caller : turn % 4, used = -1;
    model->arguments.x = x;
    model->arguments.n = &size;
    model->results.result0 = y;
    model->results.result1 = &used;
    int code = run(*model, pool, turn);
    std::string error = model->error();
    if (size <= 4)
      require(code == NETS_BOUNDED_OK && error.empty() && used == size, "bounded fails: " + error);
    else
      require(code == NETS_BOUNDED_FAILED && error.find(std::to_string(size)) != std::string::npos,
              "bounded does not name " + std::to_string(size) + ": " + error);
  }
}

} // namespace

int main() {
  const Files files;
  TenonThreads *pool = tenon_threads_create(kThreads);
  std::vector<std::thread> callers;
  for (int32_t caller = 0; caller < kCallers; ++caller)
    callers.emplace_back([&, caller] {
      callDigits<nets_digits_model<kThreads>>(files, pool);
      callBounded<nets_bounded_model<kThreads>>(caller, pool);
      callLstm<nets_lstm_model<kThreads>>(files, pool);
      callDigits<others_digits_model<kThreads>>(files, pool);
      callBounded<others_bounded_model<kThreads>>(caller, pool);
      callLstm<others_lstm_model<kThreads>>(files, pool);
    });
  for (std::thread &caller : callers)
    caller.join();
  tenon_threads_destroy(pool);
}
