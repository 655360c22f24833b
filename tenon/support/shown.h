// What programs show to the libraries of ours that they open.
#pragma once

// Stands before the definition of a function that such a library calls (tenon_opens, cmake/TenonComponent.cmake).
// Nothing else of ours is shown by a program, and the libraries that users link with or open show what their linker
// scripts name.
#define TENON_SHOWN [[gnu::visibility("default")]]
