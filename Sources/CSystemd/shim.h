#ifndef TRIBUTARY_CSYSTEMD_H
#define TRIBUTARY_CSYSTEMD_H
// The journal's macros would add file and line to each entry; our handler adds them itself.
#define SD_JOURNAL_SUPPRESS_LOCATION 1
#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>
#endif
