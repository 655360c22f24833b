// A library that is no target.
extern "C" __attribute__((visibility("default"))) int Tenon_SomethingElse() { return 0; }
