// What work costs on a target, roughly, in one table: fusion, the planners of kernels and the sizes of tasks read it.
// The defaults are measured on general cores of about 3 GHz; a target sets what differs. Times are in nanoseconds of
// one core.
#pragma once

#include <cstdint>

namespace tenon::codegen {

struct CostModel {
  // --- One element of an elementwise op, in vectors: twice as much for 64 bits, four times for complex numbers ---
  double simpleOp = 0.02;
  double division = 0.08; // and roots
  double integerDivision = 2;
  double exponential = 0.2; // and remainders
  double trigonometric = 0.5;
  double scalarFactor = 8; // how much longer it takes without vectors

  // --- One element otherwise ---
  double reductionStep = 0.05; // combining it with what came before
  double access = 0.1;         // reading or writing an array
  double transposedAccess = 0.15;
  double selection = 0.5, selectionTap = 1;  // of select_and_scatter: a source, and an element of its window
  double scanStep = 1, recognizedStep = 0.3; // of a computation, of a sum or the like
  double scatteredWindow = 3, scatteredElement = 0.5;
  double gather = 32; // one gathered vector, in vectors that are loaded whole

  // --- Bytes ---
  double copiedByte = 0.1, copiedPiece = 5; // of a concatenation
  double bytesPerNanosecond = 20;           // that a product reads and writes

  // --- Calls ---
  double kernel = 50; // entering a kernel
  double customCall = 20000, libraryCall = 100000;
  double loop = 20000; // a while loop, whose trip count is unknown: a program with one never counts as tiny

  // --- Threads ---
  double task = 20000;         // the time that one task should take
  int64_t mostTasks = 512;     // of a phase
  double scatterTask = 100000; // the least time of a task of a scatter, each of which reads all indices
  double sharedPhase = 12000;  // the least time of a phase that is shared among the workers
  double checkedKernel = 2e6;  // the least time of a kernel that gets cancellation checks

  // --- Fusion ---
  int64_t leastRows = 8;             // a rows fusion has at least so many, unless it is small: a task for each worker
  int64_t smallElements = 1 << 14;   // up to so many elements a rows fusion is small
  int64_t largeArrayBytes = 1 << 20; // the least size of an array for whose sake a wide group is divided

  // --- Loops ---
  // Arithmetic for one element below which its latency is the limit, so that several elements are computed at once.
  double lightLoop = 0.1, mediumLoop = 0.3;
  double savedValue = 0.15; // the least cost of a value that is kept in scratch memory for a later pass over the row
};

} // namespace tenon::codegen
