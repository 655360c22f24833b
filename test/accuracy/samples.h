// Arguments that find errors.
#pragma once

#include "tenon/codegen/llvm/math/testing/accuracy.h"

#include "test/accuracy/functions.h"

#include <utility>

namespace tenon::accuracy {

using codegen::math::sameBits;

template <typename T> void addWithNeighbours(std::vector<T> &samples, double value, int distance = 2) {
  T low = static_cast<T>(value), high = low;
  samples.push_back(low);
  samples.push_back(-low);
  for (int i = 0; i < distance; ++i) {
    low = std::nextafter(low, -std::numeric_limits<T>::infinity());
    high = std::nextafter(high, std::numeric_limits<T>::infinity());
    for (T neighbour : {low, high, -low, -high})
      samples.push_back(neighbour);
  }
}

// codegen::math::makeSamples, and around where functions have roots, poles or overflow, and where implementations cut:
// multiples of pi/4 and ln 2, powers of two, the range's ends, and the doubles and floats nearest to multiples of pi/2.
template <typename T> std::vector<T> hardSamples(Range range, size_t count) {
  std::vector<T> samples = codegen::math::makeSamples<T>(range.low, range.high, count);
  for (int k = 1; k <= 64; ++k) {
    addWithNeighbours(samples, k * (M_PI / 4));
    addWithNeighbours(samples, k * (M_LN2 / 2));
    addWithNeighbours(samples, k);
  }
  for (int e = std::numeric_limits<T>::min_exponent - 10; e < std::numeric_limits<T>::max_exponent; e += 3)
    addWithNeighbours(samples, std::ldexp(1.0, e), 1);
  for (double value :
       {range.low,         range.high,         0x1.6ac5b262ca1ffp+849, 0x1.475434p+121,    0x1.0c7f4p+73,
        709.782712893384,  745.1332191019411,  88.72283905206835,      103.97208,          710.4758600739439,
        89.41598629223294, 1.4616321449683623, 0.5040830082644554,     2.4570247382208006, 2.7476826467274127,
        0.84375,           0.953125,           27.226017111108366,     10.05419,           3.919205904006958,
        5.921587195794507})
    addWithNeighbours(samples, value, 8);
  return samples;
}

// Pairs: all of a grid of special values, and `count` more, of which half are uniform over exponents.
template <typename T> std::pair<std::vector<T>, std::vector<T>> pairSamples(Range x, Range y, size_t count) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> grid;
  for (T value : {T(0), T(0.5), T(1), T(1.5), T(2), T(3), T(10), T(1e-3), T(1) / 3, T(7), T(100.5), Limits::min(),
                  Limits::denorm_min(), Limits::max(), Limits::epsilon(), Limits::infinity(),
                  std::nextafter(T(1), T(0)), std::nextafter(T(1), T(2))}) {
    grid.push_back(value);
    grid.push_back(-value);
  }
  grid.push_back(Limits::quiet_NaN());
  std::pair<std::vector<T>, std::vector<T>> pairs;
  for (T a : grid)
    for (T b : grid) {
      pairs.first.push_back(a);
      pairs.second.push_back(b);
    }
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniformX(x.low, x.high), uniformY(y.low, y.high), exponent(-40, 40);
  auto push = [&](double a, double b) {
    pairs.first.push_back(static_cast<T>(a));
    pairs.second.push_back(static_cast<T>(b));
  };
  auto anyExponent = [&] { return std::exp2(exponent(random)) * (random() % 2 ? 1 : -1); };
  for (size_t i = 0; i < count; i += 4) {
    push(uniformX(random), uniformY(random));
    push(anyExponent(), anyExponent());
    push(anyExponent(), uniformY(random));
    // x^y beside each other's limits: y log x uniform.
    double base = std::fabs(uniformX(random)) + 1e-6;
    push(base, uniformY(random) * (sizeof(T) == 8 ? 2.3 : 0.29) / std::log(base));
  }
  while (pairs.first.size() % 16)
    push(1, 1);
  return pairs;
}

// Parts of complex numbers: signed zeros, powers of two over the whole range and values around one crossed with each
// other; and `count` of each of: uniform in the range, uniform over exponents, over all that the type has, near the
// unit circle and its poles.
template <typename T> std::pair<std::vector<T>, std::vector<T>> complexSamples(double range, size_t count) {
  constexpr int kMax = std::numeric_limits<T>::max_exponent;
  std::vector<T> grid = {T(0), T(1), T(0.5), T(2), T(M_PI / 2), T(3)};
  for (double part : {-1.0, -0.8, -0.55, -0.4, -0.25, -0.1, -0.02, 0.02, 0.1, 0.25, 0.4, 0.49, 0.55, 0.8, 0.99})
    grid.push_back(static_cast<T>(std::ldexp(1.3, int(part * (kMax - 2)))));
  for (T value : {T(1), T(2)}) {
    grid.push_back(std::nextafter(value, T(0)));
    grid.push_back(std::nextafter(value, T(4)));
  }
  std::pair<std::vector<T>, std::vector<T>> pairs;
  auto push = [&](double a, double b) {
    pairs.first.push_back(static_cast<T>(a));
    pairs.second.push_back(static_cast<T>(b));
  };
  for (T a : grid)
    for (T b : grid)
      for (int signs = 0; signs < 4; ++signs)
        push(signs & 1 ? -a : a, signs & 2 ? -b : b);
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform(-range, range), exponent(-30, 4), angle(0, 2 * M_PI);
  auto anyExponent = [&] { return std::exp2(exponent(random)) * (random() % 2 ? 1 : -1); };
  std::uniform_real_distribution<double> exponents(
      std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits, kMax);
  auto anywhere = [&] { return std::exp2(exponents(random)) * (random() % 2 ? 1 : -1); };
  for (size_t i = 0; i < count; ++i) {
    push(uniform(random), uniform(random));
    push(anyExponent(), anyExponent());
    push(anywhere(), anywhere());
    double theta = angle(random), radius = 1 + (i % 2 ? std::exp2(exponent(random) - 6) : 0);
    push(radius * std::cos(theta), radius * std::sin(theta));
    push(1 + anyExponent() * 0x1p-8, anyExponent());
    push(anyExponent(), 1 + anyExponent() * 0x1p-8);
  }
  while (pairs.first.size() % 16)
    push(1, 1);
  return pairs;
}

} // namespace tenon::accuracy
