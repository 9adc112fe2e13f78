#ifndef TRIBUTARY_CSQLITE_H
#define TRIBUTARY_CSQLITE_H
#include <sqlite3.h>

/// Disables the memory accounting of SQLite in this process; fails once SQLite is in use. Swift cannot call
/// `sqlite3_config`, which takes variable arguments.
static inline int csqlite_disable_memory_accounting(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
#endif
