#ifndef TRIBUTARY_PLAIN_SQLITE_H
#define TRIBUTARY_PLAIN_SQLITE_H
#include <sqlite3.h>
#endif
