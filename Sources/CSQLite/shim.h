#ifndef TRIBUTARY_CSQLITE_H
#define TRIBUTARY_CSQLITE_H
#include <sqlite3.h>
#endif
