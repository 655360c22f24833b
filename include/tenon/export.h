/* What the shared library shows: all else in it is hidden. For C, too. */
#pragma once

#define TENON_API __attribute__((visibility("default")))
