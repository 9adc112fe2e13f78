#include "FuzzEntry.h"

#include <stddef.h>
#include <stdint.h>

// In the library that the linker adds for -sanitize=fuzzer.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *bytes, size_t count));

// In Program/Fuzz.swift.
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int fuzz_main(int argc, char **argv) { return LLVMFuzzerRunDriver(&argc, &argv, LLVMFuzzerTestOneInput); }
