#ifndef TRIBUTARY_FUZZ_ENTRY_H
#define TRIBUTARY_FUZZ_ENTRY_H

/// The entry point that SwiftPM gives to an executable of the name `fuzz`.
int fuzz_main(int argc, char **argv);

#endif
