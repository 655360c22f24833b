#include "tenon/codegen/kernel/matmul/test/amx_testing.h"

#include "tenon/support/tile_permission.h"

#include <ucontext.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace tenon::codegen::testing {
namespace {

constexpr int kRegisters = 8, kMostRows = 16, kMostBytes = 64;

struct Tile {
  int rows = 0, bytes = 0; // as configured
  uint8_t data[kMostRows][kMostBytes] = {};
};

// The thread's tile registers.
struct TileFile {
  Tile tiles[kRegisters];
  bool isConfigured = false;
  int products = 0;
};
thread_local TileFile file;

// One instruction with a three-byte VEX prefix of map 0F38, the only form that AMX's have.
struct Instruction {
  enum Prefix { kNone, k66, kF3, kF2 };
  uint8_t opcode = 0;
  Prefix prefix = kNone;
  int reg = 0, rm = 0, vvvv = 0;
  bool hasMemory = false;
  uint64_t base = 0, stride = 0; // of the operand in memory
  int length = 0;
};

uint64_t valueOf(const ucontext_t &context, int number) {
  constexpr int kNames[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                            REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  return uint64_t(context.uc_mcontext.gregs[kNames[number]]);
}

class Decoder {
public:
  explicit Decoder(const ucontext_t &context)
      : context_(context), start_(reinterpret_cast<const uint8_t *>(valueOfRip())), at_(start_) {}

  // False: no instruction of this kind.
  bool decode(Instruction &result) {
    uint8_t escape = next(), first = next(), second = next();
    if (escape != 0xC4 || (first & 0x1F) != 2 || (second & 0x84) != 0)
      return false;
    bool extendsIndex = !(first & 0x40), extendsBase = !(first & 0x20);
    result.vvvv = ~second >> 3 & 15;
    result.prefix = Instruction::Prefix(second & 3);
    result.opcode = next();
    uint8_t modrm = next();
    result.reg = modrm >> 3 & 7;
    result.rm = modrm & 7;
    int mode = modrm >> 6;
    result.hasMemory = mode != 3;
    if (result.hasMemory)
      address(result, mode, extendsIndex, extendsBase);
    result.length = int(at_ - start_);
    return true;
  }

private:
  uint64_t valueOfRip() const { return uint64_t(context_.uc_mcontext.gregs[REG_RIP]); }
  uint8_t next() { return *at_++; }

  void address(Instruction &result, int mode, bool extendsIndex, bool extendsBase) {
    int base = result.rm + (extendsBase ? 8 : 0);
    bool hasBase = true, ofRip = mode == 0 && result.rm == 5;
    if (result.rm == 4) {
      uint8_t sib = next();
      int index = (sib >> 3 & 7) + (extendsIndex ? 8 : 0);
      if (index != 4)
        result.stride = valueOf(context_, index) << (sib >> 6);
      base = (sib & 7) + (extendsBase ? 8 : 0);
      hasBase = !(mode == 0 && (sib & 7) == 5);
    }
    int64_t displacement = 0;
    if (mode == 1)
      displacement = int64_t(next() ^ 0x80) - 0x80; // the byte with its sign
    if (mode == 2 || ofRip || !hasBase) {
      int32_t wide;
      std::memcpy(&wide, at_, 4);
      at_ += 4;
      displacement = wide;
    }
    uint64_t from = ofRip ? reinterpret_cast<uint64_t>(at_) : hasBase ? valueOf(context_, base) : 0;
    result.base = from + uint64_t(displacement);
  }

  const ucontext_t &context_;
  const uint8_t *start_, *at_;
};

uint8_t *rowAt(const Instruction &instruction, int row) {
  return reinterpret_cast<uint8_t *>(instruction.base + uint64_t(row) * instruction.stride);
}

bool configure(const Instruction &instruction) {
  if (!instruction.hasMemory) {
    file.isConfigured = false;
    return true;
  }
  const uint8_t *bytes = rowAt(instruction, 1); // here the index is a part of the address, as everywhere else
  file.isConfigured = bytes[0] == 1;
  for (int i = 0; i < kRegisters; ++i) {
    file.tiles[i] = Tile();
    file.tiles[i].rows = bytes[48 + i];
    file.tiles[i].bytes = bytes[16 + 2 * i] | bytes[17 + 2 * i] << 8;
    if (file.tiles[i].rows > kMostRows || file.tiles[i].bytes > kMostBytes)
      return false;
  }
  return file.isConfigured;
}

void load(const Instruction &instruction) {
  Tile &tile = file.tiles[instruction.reg];
  std::memset(tile.data, 0, sizeof tile.data);
  for (int row = 0; row < tile.rows; ++row)
    std::memcpy(tile.data[row], rowAt(instruction, row), size_t(tile.bytes));
}

void store(const Instruction &instruction) {
  const Tile &tile = file.tiles[instruction.reg];
  for (int row = 0; row < tile.rows; ++row)
    std::memcpy(rowAt(instruction, row), tile.data[row], size_t(tile.bytes));
}

// Subnormal numbers are zero, as operands and as results.
float flushed(float value) { return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0F, value) : value; }

float bf16At(const uint8_t *row, int i) {
  uint16_t half;
  std::memcpy(&half, row + 2 * i, 2);
  return flushed(std::bit_cast<float>(uint32_t(half) << 16));
}

template <typename T> T elementAt(const uint8_t *row, int i) {
  T value;
  std::memcpy(&value, row + size_t(i) * sizeof(T), sizeof(T));
  return value;
}

template <typename T> void setElement(uint8_t *row, int i, T value) {
  std::memcpy(row + size_t(i) * sizeof(T), &value, sizeof(T));
}

void bf16Product(Tile &sums, const Tile &lhs, const Tile &rhs) {
  for (int m = 0; m < sums.rows; ++m)
    for (int n = 0; n < sums.bytes / 4; ++n) {
      float even = 0, odd = 0;
      for (int k = 0; k < lhs.bytes / 4; ++k) {
        even = flushed(std::fma(bf16At(lhs.data[m], 2 * k), bf16At(rhs.data[k], 2 * n), even));
        odd = flushed(std::fma(bf16At(lhs.data[m], 2 * k + 1), bf16At(rhs.data[k], 2 * n + 1), odd));
      }
      float before = flushed(elementAt<float>(sums.data[m], n));
      setElement(sums.data[m], n, flushed(before + flushed(even + odd)));
    }
}

template <typename Lhs, typename Rhs> void byteProduct(Tile &sums, const Tile &lhs, const Tile &rhs) {
  for (int m = 0; m < sums.rows; ++m)
    for (int n = 0; n < sums.bytes / 4; ++n) {
      auto sum = elementAt<uint32_t>(sums.data[m], n);
      for (int k = 0; k < lhs.bytes / 4; ++k)
        for (int q = 0; q < 4; ++q)
          sum += uint32_t(elementAt<Lhs>(lhs.data[m], 4 * k + q) * elementAt<Rhs>(rhs.data[k], 4 * n + q));
      setElement(sums.data[m], n, sum);
    }
}

bool multiply(const Instruction &instruction) {
  if (instruction.hasMemory || instruction.vvvv >= kRegisters)
    return false;
  Tile &sums = file.tiles[instruction.reg];
  const Tile &lhs = file.tiles[instruction.rm], &rhs = file.tiles[instruction.vvvv];
  ++file.products;
  if (instruction.opcode == 0x5C) {
    if (instruction.prefix != Instruction::kF3)
      return false;
    bf16Product(sums, lhs, rhs);
    return true;
  }
  switch (instruction.prefix) {
  case Instruction::kF2:
    byteProduct<int8_t, int8_t>(sums, lhs, rhs);
    break;
  case Instruction::kF3:
    byteProduct<int8_t, uint8_t>(sums, lhs, rhs);
    break;
  case Instruction::k66:
    byteProduct<uint8_t, int8_t>(sums, lhs, rhs);
    break;
  case Instruction::kNone:
    byteProduct<uint8_t, uint8_t>(sums, lhs, rhs);
  }
  return true;
}

bool execute(const Instruction &instruction) {
  if (instruction.opcode == 0x49 && instruction.prefix == Instruction::kNone)
    return configure(instruction);
  if (!file.isConfigured)
    return false;
  switch (instruction.opcode) {
  case 0x49: // TILEZERO
    std::memset(file.tiles[instruction.reg].data, 0, sizeof(Tile::data));
    return instruction.prefix == Instruction::kF2 && !instruction.hasMemory;
  case 0x4B:
    if (!instruction.hasMemory)
      return false;
    if (instruction.prefix == Instruction::kF3)
      store(instruction);
    else
      load(instruction);
    return true;
  case 0x5C:
  case 0x5E:
    return multiply(instruction);
  default:
    return false;
  }
}

void handle(int number, siginfo_t *, void *opaque) {
  auto &context = *static_cast<ucontext_t *>(opaque);
  Instruction instruction;
  if (Decoder(context).decode(instruction) && execute(instruction)) {
    context.uc_mcontext.gregs[REG_RIP] += instruction.length;
    return;
  }
  signal(number, SIG_DFL); // and it is met again
}

} // namespace

AmxTesting::AmxTesting() : isNative_(mayUseTiles()) {
  if (isNative_)
    return;
  struct sigaction action{};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGILL, &action, &before_);
}

AmxTesting::~AmxTesting() {
  if (!isNative_)
    sigaction(SIGILL, &before_, nullptr);
}

const std::array<uint8_t, 64> kTileConfiguration = [] {
  std::array<uint8_t, 64> bytes{};
  bytes[0] = 1; // the palette
  for (size_t i = 0; i < kRegisters; ++i) {
    bytes[16 + 2 * i] = kMostBytes;
    bytes[48 + i] = kMostRows;
  }
  return bytes;
}();

int emulatedTileProducts() { return file.products; }

} // namespace tenon::codegen::testing
