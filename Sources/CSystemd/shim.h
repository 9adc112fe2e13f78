#ifndef TRIBUTARY_CSYSTEMD_H
#define TRIBUTARY_CSYSTEMD_H
// The journal's macros put file and line into each entry; our handler says them itself.
#define SD_JOURNAL_SUPPRESS_LOCATION 1
#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>
#endif
