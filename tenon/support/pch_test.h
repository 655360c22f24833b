// Precompiled: what tests that touch neither programs nor LLVM include, besides the standard library.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
