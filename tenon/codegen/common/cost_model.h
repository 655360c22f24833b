// What work costs on a target, roughly, in one table: fusion, the planners of kernels and the sizes of tasks read it.
// The defaults are a CPU's core of 3 GHz or so. Times are in nanoseconds of one core.
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
  double gather = 32; // as many as this in vectors

  // --- Bytes ---
  double copiedByte = 0.1, copiedPiece = 5; // of a concatenation
  double bytesPerNanosecond = 20;           // that a product reads and writes

  // --- Calls ---
  double kernel = 50;
  double customCall = 20000, libraryCall = 100000;
  double loop = 20000; // how often it runs is unknown; it is never tiny

  // --- Threads ---
  double task = 20000; // a task's time: long beside taking it, short beside waiting for the last one
  int64_t mostTasks = 512;
  double scatterTask = 100000; // whose tasks read all indices
  double sharedPhase = 12000;  // worth waking workers for
  double checkedKernel = 2e6;  // asks within whether its run has ended

  // --- Fusion ---
  int64_t leastRows = 8; // that a kernel of rows has, if they are long: there have to be tasks for all workers
  int64_t smallElements = 1 << 14;   // so many elements are short rows together
  int64_t largeArrayBytes = 1 << 20; // that are worth dividing a group for, so that it keeps fewer alive

  // --- Loops ---
  // Arithmetic for an element below which latencies decide, and several of them run side by side.
  double lightLoop = 0.1, mediumLoop = 0.3;
  double savedValue = 0.15; // worth keeping in scratch memory for a later pass over the row
};

} // namespace tenon::codegen
