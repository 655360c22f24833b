// What work costs on a target, roughly, in one table, with the thresholds that follow: simplification, fusion, the
// planners of kernels and the sizes of tasks read it. The defaults are measured on general cores of about 3 GHz; a
// target sets what differs. Times are in nanoseconds of one core.
//
// Limits that are no cost are where they are used: sizes of registers, caches and lines; what keeps code, memory
// and the time to compile small; what decides the bits of a sum; how soon a run ends that is to end. So is what
// devices send each other (passes/partition, and which of it goes on beside the run): all processes cut a program
// alike, whatever runs it. And so is what the runtime decides for itself, which knows no target.
#pragma once

#include <cstdint>

namespace tenon {

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
  double innerReduction = 0.5; // a result of a reduction inside the stage of a row
  double access = 0.1;         // reading or writing an array
  double transposedAccess = 0.15;
  double selection = 0.5, selectionTap = 1;  // of select_and_scatter: a source, and an element of its window
  double scanStep = 1, recognizedStep = 0.3; // of a computation, of a sum or the like
  int64_t shortWindow = 8;                   // cumulative windows of so many elements are computed each for itself
  double scatteredWindow = 3, scatteredElement = 0.5;
  int64_t updatesAhead = 16; // a scatter into memory fetches the window of the update so many further on
  // Two dimensions, of which one is contiguous in what is read and the other in what is written, are transposed in
  // tiles if both are at least so long. Results of at least so many bytes are streamed then: few of their lines would
  // still be in a cache when their next elements come, whatever it holds of other programs.
  int64_t transposedExtent = 8, streamedTranspose = 16 << 20;
  // Several passes over the rows of an array that is so large fetch the next row in the first one, if it has at least
  // so many bytes and two of them stay in L1. What is smaller is in a cache.
  int64_t fetchedArrayBytes = 8 << 20, leastFetchedRow = 1024, mostFetchedRow = 16 << 10;

  // --- One vector of elements, in vectors that are loaded whole ---
  double gather = 32;                       // one that is gathered
  double shuffledBytes = 8, shuffled16 = 2; // one that is shuffled, of elements of 8 and 16 bits; others take 1
  double vectorOp = 0.5;                    // combining it with another one
  double foldedRow = 2;                     // each step of combining the lanes of a row, and storing the result

  // --- One op on scalars in registers, one after the other ---
  double scalarOp = 0.15;
  double scalarDivision = 1.5; // and remainders and roots
  double scalarExponential = 4;
  double scalarTrigonometric = 8; // and everything else
  double innerKernel = 5;         // a kernel in a loop, besides its work: the call, and scalars that go through memory
  int64_t unknownTrips = 4;       // the iterations of a loop of which nothing is known

  // --- Bytes ---
  double copiedByte = 0.1, copiedPiece = 5; // of a concatenation
  double copyTask = 1 << 16;                // the bytes of a task of a concatenation, or that pads an array
  int64_t sharedCopyBytes = 1 << 20;        // the least copy between arrays that is shared among the workers

  // --- Sorts: elements of a row ---
  int64_t rankedRow = 128;                      // the longest row of which all elements are compared with all others
  double rankedElement = 2, rankedVector = 0.5; // each element then, and each vector that it is compared with
  double countedElement = 1, movedElement = 2;  // in a pass over a digit
  double mendedRow = 1000;                      // equal elements where the order of the bits is not the one asked for
  int64_t wideDigits = 16384;                   // rows from so many elements on have digits of 11 bits, not 8
  int64_t sharedSort = 32768;                   // rows from so many elements on are sorted by several tasks
  int64_t mostSharedSorts = 16, mostSortTasks = 32; // if there are no more of them; the most tasks of a row
  double comparedElement = 12;                      // in each step of a sort by comparisons
  double topKElement = 0.4, topKResult = 60;

  // --- Products of matrices ---
  double bytesPerNanosecond = 20; // that a product reads and writes
  double cyclesPerNanosecond = 3; // three quarters of the peak, at 4 GHz
  double laneOperations = 4;      // additions and multiplications of a lane in a cycle
  double tileOperations = 256;    // and of registers of tiles
  double packedElement = 0.25;    // of an operand that is not packed in long pieces
  double plainLoopFactor = 8;     // how much longer it takes without register tiles
  double plainProduct = 2048;     // the most multiplications of a product that takes less time without
  int64_t dotProduct = 256;       // the least multiplications of a row times a matrix by vectors along the sum
  double plainTask = 65536, tiledTask = 6e5; // multiplications of a task, in loops and the least in register tiles
  int64_t streamedTask = 32768;              // the least bytes or multiplications of a task of few rows
  int64_t streamedRows = 3, streamedRowsOfLarge = 8; // the most rows for which the rhs is not packed: in L2, beyond it
  int64_t widenedRows = 16;                          // so many products of each element make up for widening it
  int64_t hoistedRows = 48; // products in a loop with so many rows are as fast as one of all iterations
  int64_t hoistedSum = 32;  // an element that is a sum of so many products takes longer to compute than to read
  // Multiply-adds of a register tile beside which the call of a routine does not count. From 192 to 768 a product takes
  // up to a tenth longer to run, and half of the time to compile.
  int64_t longTile = 192;
  // A product with a one-hot matrix reads rows of the table instead, from so many rows, columns and multiplications on:
  // fewer take less time than to ask whether all of the table is finite.
  int64_t tableRows = 16, tableColumns = 32, tableProducts = 1 << 22;
  // Multiplications of a product of batches from which on operands, and the result, whose last dimension is of the
  // batches are copied.
  int64_t orderedBatches = 1 << 14;
  int64_t fewTerms = 7; // of sums of products with a vector, which a loop adds up: of more, vectors run along the sum
  // The most multiplications of a matrix by a vector that a reduction adds up, whatever its sums are over; the same, of
  // each of a batch of matrices by vectors; and the terms from which sums of neighbours are better as products.
  double summedProducts = 16384;
  int64_t batchedProducts = 4096, longSum = 64;
  double depthwiseOperations = 30; // additions and multiplications of a depthwise convolution in a nanosecond
  int64_t imageResults = 256;      // so many results of an image in a row are worth a product for each image

  // Products by registers of tiles (AMX), measured on Sapphire Rapids, in cycles.
  struct Tiles {
    // What one core does in a cycle that has the processor to itself, to compare with products of vectors.
    double products = 256, packedBytes = 8, vectorProducts = 1.5;
    double leastProducts = 32 * 32 * 32;
    // The same with every core at work, to choose the blocks of tasks.
    double busyProducts = 160, busyPackedBytes = 3, busyReadBytes = 12;
    double task = 2000, phase = 8000; // beginning one; a phase for each core
  };
  Tiles tiles;

  // --- Attention ---
  int64_t attentionRows = 16;     // fewer are read with their operands once, at the speed of memory
  int64_t attentionBlock = 48;    // the least rows for which it is worth reading the other operands again
  double shortAttention = 192000; // one that takes less time needs no tasks for all workers
  // Bytes of what a gradient has that is as large as the scores: less stays in caches, and is not computed again.
  int64_t attentionGradientBytes = 16 << 20;

  // --- Calls ---
  double kernel = 50;      // entering a kernel
  double instructions = 4; // what a kernel runs in a nanosecond, to guess how long its tasks are
  int64_t rowVectors = 4;  // rows of no more vectors are code that knows their number, not a routine's
  double customCall = 20000, libraryCall = 100000;
  double loop = 20000; // a while loop, whose trip count is unknown: a program with one never counts as tiny

  // --- Threads ---
  double task = 20000;    // the time that one task should take
  double shortTask = 100; // tasks that take less are those of hardware's threads
  bool hasCores() const { return task >= shortTask; }
  int64_t mostTasks = 512;     // of a phase
  double scatterTask = 100000; // the least time of a task of a scatter, each of which reads all indices
  int64_t mostScatterTasks = 4;
  // The least time of a scattered window: where each task takes a part of all windows, and where it leaves windows out,
  // which is guessed wrongly every other time.
  double dividedWindow = 8, sharedWindow = 40;
  int64_t splitReduction = 1 << 16;                 // the least elements of a reduction whose rows are cut into parts
  int64_t splitPart = 1 << 14, mostSplitParts = 64; // the least elements of a part, and how many there are about
  int64_t splitTasks = 16;                          // rows that make so many tasks are not cut
  // Nor are others, but for those that are read across: at most so many, of at least that length, that lie together in
  // fewer than that many pieces of memory.
  int64_t stridedRows = 1 << 14, stridedLength = 64, stridedPieces = 8;
  int64_t splitResults = 1 << 16; // the most rows: each part has results of its own
  // Where there are more results of parts than that, rows that are read across are cut into at least so many parts of
  // at least so many elements, or not at all.
  int64_t splitResultsInCache = 1 << 13, leastStridedParts = 4, leastStridedPart = 32;
  double sharedPhase = 12000; // the least time of a phase that is shared among the workers
  double longPhases = 8;      // one that takes so many times as long is shared, however wrong the estimate is
  double checkedKernel = 2e6; // the least time of a kernel that gets cancellation checks

  // --- Scatters whose updates are sorted into buckets of rows of the result, which tasks have to themselves ---
  struct Buckets {
    int64_t leastUpdates = 4096, leastWindow = 128; // of a scatter that is sorted, and the bytes of a window
    int64_t bytes = 256 << 10;                      // the results of a bucket, which stay in a core's own cache
    int64_t leastRows = 16, most = 1024;            // of a bucket; how many there are
    int64_t chunk = 4096, mostChunks = 16;          // the updates that a task counts and moves, and how many such tasks
  };
  Buckets buckets;

  // --- Fusion ---
  int64_t leastRows = 8;             // a rows fusion has at least so many, unless it is small: a task for each worker
  int64_t smallElements = 1 << 14;   // up to so many elements a rows fusion is small
  int64_t largeArrayBytes = 1 << 20; // the least size of an array for whose sake a wide group is divided
  int64_t wideKernels = 5;           // the least kernels that make such arrays for a wide group
  int64_t passedOnParts = 7;         // what is passed on at a cut: at most one part in so many of what was read
  int64_t stackedColumns = 12;       // so many columns that are stacked side by side are each computed by itself
  int64_t joinedParts = 4;           // a padded or joined value is computed where it is if it is at least one such part
  int64_t repeatedParts = 8;         // an op on broadcasts of at most one such part is repeated rather than stored
  // To store an array and read it again rather than compute its elements several times: a kernel, and each byte of one
  // that stays in a cache, or that does not. Twice as much as it takes, since arithmetic hides behind memory.
  double storingKernel = 2000, keptByte = 0.08, storedByte = 0.3;
  double joinedElement = 0.06;  // an element of a concatenation, which is read by mask, where it is computed again
  int64_t updatedParts = 2;     // an update of at least one such part of what it reads is a select over all of it
  int64_t copiedElements = 256; // the least array that is read earlier, so that it can be updated in place

  // --- Loops ---
  // Arithmetic for one element below which its latency is the limit, so that several elements are computed at once.
  double lightLoop = 0.1, mediumLoop = 0.3;
  double latentMap = 0.15, shortMap = 0.5; // the least of a map that computes two vectors at once, the most for four
  int64_t unrolledArray = 8192; // the least elements of an array that a loop of few steps carries through memory
  double savedValue = 0.15; // the least cost of a value that is kept in scratch memory for a later pass over the row

  // --- Blocks of hardware's threads, which share a task (GPUs) ---
  struct Blocks {
    int64_t multiprocessors = 132; // so many blocks are work for the whole chip
    int leastThreads = 128;        // of a block: of less work for each row, it has several rows
    // Rows of a reduction that are read along: the most threads of one, the bytes of each array that a thread keeps in
    // registers, and the least vectors of a row that is shared.
    int rowThreads = 512;
    int64_t keptBytes = 128, sharedVectors = 4;
    // Rows that are read across: the least elements of one that is shared, and of one that more warps share. With so
    // many vectors of rows there is one for each thread.
    int64_t sharedRow = 32, longRow = 512, manyVectors = 1 << 17;
    int rowWarps = 8, longRowWarps = 16;
    int combiningWarps = 16;                        // of the parts of such rows
    int64_t reducedPart = 4096, scannedPart = 8192; // the least elements of a part of a row that is cut
    int scanThreads = 256;                          // the most of a row of a scan
    // Scans across columns, a thread for each: so many threads keep the chip at work. Fewer columns are in parts: the
    // least elements of one, and the most parts, each of which reads the sums of those before it.
    int64_t columnThreads = 1 << 16, columnPart = 32, mostColumnParts = 64;
    int64_t sortedRow = 32, sortedRun = 1024; // the least row that a block sorts, and the most of it
    int sortThreads = 256;                    // the most that sort such a run
    int64_t orderedUpdates = 16; // of a scatter: so many take less time one by one than to start the kernels that sort
    int64_t leastProduct = 16;   // rows and columns of a product in tiles without mma
    // The pairs of tiles on their way that memory needs to be kept at work; the most parts of k, and the least steps of
    // one, in tiles.
    int64_t productStages = 4, productParts = 32, productSteps = 8;
    int64_t unusedColumns = 8; // of tiles of warp groups at most one in so many is not there
    // The least time of an op that a library may compute, if one is there: what it takes the chip at its peak. A
    // library's products of arguments are no nodes of the graph, which is started once more behind each.
    double libraryOp = 20e3;
    // What an element of 16 bits has to take a core to be looked up in a table of results: that is 7 instructions of a
    // thread, and memory brings an element of an H100's thread in the time of 40; gelu of bf16 has 80, and 0.36 here.
    double lookedUpElement = 0.3;
    // A merge of all runs of a sort, for each key (H100, 4 M keys: 90 us), and how many digits take as long.
    double mergedKey = 0.0215;
    int64_t digitsOfMerge = 2;
    // Nodes of a graph, in nanoseconds on an H100: what a kernel's takes to start, an iteration of a loop besides, and,
    // where the kernel is a product by threads, each step along k, since one block computes a tile.
    double node = 1500, loopTurn = 3300, productStep = 50;
    // Loops that are one kernel instead (codegen/gpu/small_loops.h), in nanoseconds on an H100. A thread takes so many
    // times as long as a core, for elements that it reads one by one so many times that, and for a byte of memory that
    // is not its block's own so long. The multiply-adds of a product by a thread in a nanosecond. What a step takes
    // until all threads of a block, a cluster or a grid go on with the next.
    double loneThread = 40, loopGather = 2.2, loopByte = 2.25, threadProducts = 0.47;
    double blockStep = 20, clusterStep = 850, gridStep = 1000;
    // The most nodes of such a loop, and the least time of a core for a step that its threads share out: shorter ones
    // each does for itself.
    double mostLoopNodes = 100, sharedLoopStep = 4;
  };
  Blocks blocks;
};

} // namespace tenon
