/*
 * The export of local transactions, and the writer of a store, while processes are killed, power fails, older copies of
 * the disk are put back, and a copy goes on at a second machine beside the original.
 *
 * Protocol.md says what each label stands for and which invariant each assertion is. check.sh runs the variants:
 *   CLONE           a copy may also start on a second machine
 *   BUG_...         a deliberate fault that an assertion must find
 */

#ifdef CLONE
#define MACHINES 2
#define EDITS 3
#define RESTORES 1
#else
#define MACHINES 1
#define EDITS 4
#define RESTORES 2
#endif
#define WRITERS EDITS
#define SEQUENCES 3

/* The invariants. The names are never set: they tell which invariant an assertion that fails stands for. */
hidden byte oneContent;         /* a sequence of a writer is published with one content, whoever publishes it */
hidden byte oneName;            /* an edit is published under one writer and sequence */
hidden byte filesStay;          /* a published file keeps its bytes */
hidden byte sameBytes;          /* without copies an interrupted export ends with the bytes with which it began */
hidden byte exportsAll;         /* a store publishes nothing before what it has of former writers, so that nothing is lost */

/* An outbox: the edit of the transaction of a writer with a sequence. */
#define AT(w, n) ((w) * SEQUENCES + (n) - 1)

typedef Store {
	byte own;                   /* the writer of the next transaction, plus 1; 0 before the first one */
	byte nonce;                 /* renewed by each commit: the number of its edit is as good as a random number */
	byte sequence[WRITERS];     /* the last transaction of each writer that the store ever was */
	byte edit[WRITERS * SEQUENCES];
	byte published[WRITERS];    /* the last transaction of the finished ranges of each writer */
	byte writer;                /* the writer of the begun range */
	byte last;                  /* the last transaction of the begun range; 0 without one */
	bit header                  /* the header of the begun range */
}

/* What SQLite shows, what survives a power failure, and a copy of that. */
Store memory[MACHINES];
Store disk[MACHINES];
Store backup;

typedef Machine {
	bit running;
	bit unsynced;               /* a commit has not reached the disk */
	bit placed;                 /* the begun range has its file */
	byte token;                 /* on tmpfs: the nonce for which the store may go on; 0 without a token */
	byte renewal                /* the nonce of a commit whose token is not written yet */
}
Machine machine[MACHINES];

/* The folder: the edit of each published transaction; by writer and last sequence, the set of first sequence and header
 * of the segments. */
byte log[WRITERS * SEQUENCES];
byte segments[WRITERS * SEQUENCES];
byte placedAs[EDITS + 1];       /* the place in the log, plus 1, at which each edit was published first */
byte editCount;
byte writerCount;
bit hasBackup;
byte restoreCount;

hidden byte s;
hidden byte w;

#define FIRST(m) (memory[m].published[memory[m].writer] + 1)
#define LAST(m) AT(memory[m].writer, memory[m].last)
#define SEGMENT(first, header) (1 << (2 * ((first) - 1) + (header)))
/* The other segments that end there: one with the same bounds and another header would have the same name. */
#define OTHERS(m) (segments[LAST(m)] & ~(SEGMENT(FIRST(m), 0) | SEGMENT(FIRST(m), 1)))
#define HAS_MORE(m, w) (memory[m].published[w] < memory[m].sequence[w])

#ifdef BUG_TOKEN_NOT_COMPARED
#define MAY_GO_ON(m) memory[m].own
#else
#define MAY_GO_ON(m) (memory[m].own && machine[m].token == memory[m].nonce)
#endif
#ifdef BUG_REPLACES
#define MAY_PLACE(m) true
#else
#define MAY_PLACE(m) (segments[LAST(m)] == OTHERS(m))
#endif
#ifdef BUG_PUBLISHES_BEFORE_DURABLE
#define IS_DURABLE(m) true
#else
#define IS_DURABLE(m) (!machine[m].unsynced)
#endif

inline copyStore(from, to) {
	to.own = from.own; to.nonce = from.nonce; to.writer = from.writer; to.last = from.last; to.header = from.header;
	for (w : 0 .. WRITERS - 1) { to.sequence[w] = from.sequence[w]; to.published[w] = from.published[w] }
	for (s : 0 .. WRITERS * SEQUENCES - 1) { to.edit[s] = from.edit[s] }
	s = 0; w = 0
}

/* The store takes a fresh writer, which is one row. What the outbox has of the former one stays as it is. */
inline takeWriter(m) {
	w = memory[m].own; writerCount++; memory[m].own = writerCount;
	printf("%d: becomes writer %d\n", m, writerCount - 1);
#ifdef BUG_REISSUES
	do
	:: w && !memory[m].last && HAS_MORE(m, w - 1) ->
		memory[m].published[w - 1]++; memory[m].sequence[writerCount - 1]++;
		memory[m].edit[AT(writerCount - 1, memory[m].sequence[writerCount - 1])] =
			memory[m].edit[AT(w - 1, memory[m].published[w - 1])]
	:: else -> break
	od
#endif
}

/* A save is one SQLite transaction. Inside it the token is compared, and it is gone before the commit. Another process
 * may save, and write its token, while that of the commit before is not written yet. */
inline commitEdit(m) {
	d_step { machine[m].running && editCount < EDITS ->
		if
		:: MAY_GO_ON(m) && memory[m].sequence[memory[m].own - 1] < SEQUENCES
		:: else -> takeWriter(m)
		fi;
		editCount++;
		w = memory[m].own - 1; memory[m].sequence[w]++; memory[m].edit[AT(w, memory[m].sequence[w])] = editCount;
		printf("%d: save edit %d as transaction %d of writer %d\n", m, editCount, memory[m].sequence[w], w);
#ifndef BUG_TOKEN_NOT_CONSUMED
		machine[m].token = 0;
#endif
		if
		:: machine[m].renewal -> machine[m].token = editCount
		:: else -> machine[m].renewal = editCount
		fi;
		memory[m].nonce = editCount; machine[m].unsynced = 1; w = 0 }
}

/* The token is written after the commit. */
inline renewToken(m) {
	d_step { machine[m].renewal ->
		machine[m].token = machine[m].renewal; machine[m].renewal = 0; printf("%d: token\n", m) }
}

/* The commits reach the disk. */
inline syncStore(m) {
	d_step { machine[m].unsynced -> copyStore(memory[m], disk[m]); machine[m].unsynced = 0; printf("%d: sync\n", m) }
}

/* The range and the header of the next segment are committed: of the first writer that has something unpublished. */
inline beginExport(m, newHeader) {
	d_step { machine[m].running && !memory[m].last ->
		w = 0;
		do
#ifdef BUG_FORGETS_FORMER
		:: w < WRITERS && (!HAS_MORE(m, w) || w != memory[m].own - 1) -> w++
#else
		:: w < WRITERS && !HAS_MORE(m, w) -> w++
#endif
		:: else -> break
		od;
		if
		:: w < WRITERS ->
			memory[m].writer = w; memory[m].last = memory[m].sequence[w]; memory[m].header = newHeader;
			printf("%d: begin %d-%d of writer %d\n", m, FIRST(m), memory[m].last, w); machine[m].unsynced = 1
		:: else
		fi;
		w = 0 }
}

/* The staged file is complete; it is renamed without replacing one. A name that is taken has the same transactions. */
inline placeSegment(m) {
	d_step { machine[m].running && memory[m].last && !machine[m].placed && IS_DURABLE(m) ->
		printf("%d: place %d-%d of writer %d\n", m, FIRST(m), memory[m].last, memory[m].writer);
		for (s : FIRST(m) .. memory[m].last) {
			w = AT(memory[m].writer, s);
			assert(oneContent || !log[w] || log[w] == memory[m].edit[w]);
			assert(oneName || !placedAs[memory[m].edit[w]] || placedAs[memory[m].edit[w]] == w + 1);
			assert(sameBytes || restoreCount || !log[w] || segments[LAST(m)] == SEGMENT(FIRST(m), memory[m].header));
			log[w] = memory[m].edit[w]; placedAs[memory[m].edit[w]] = w + 1
		}
		for (s : 0 .. LAST(m)) { assert(exportsAll || !memory[m].edit[s] || placedAs[memory[m].edit[s]]) }
		w = segments[LAST(m)];
		if
		:: MAY_PLACE(m) -> segments[LAST(m)] = OTHERS(m) | SEGMENT(FIRST(m), memory[m].header)
		:: else
		fi;
		assert(filesStay || !(w & ~segments[LAST(m)]));
		machine[m].placed = 1; s = 0; w = 0 }
}

/* That the segment has its name is committed. */
inline finishExport(m) {
	d_step { machine[m].placed ->
		printf("%d: finish\n", m);
		memory[m].published[memory[m].writer] = memory[m].last;
		machine[m].placed = 0; machine[m].unsynced = 1;
		memory[m].writer = 0; memory[m].last = 0; memory[m].header = 0 }
}

/* The process is killed. What it has committed is there for the next one, and so is the token. */
inline kill(m) {
	d_step { machine[m].running ->
		machine[m].running = 0; machine[m].renewal = 0; machine[m].placed = 0; printf("%d: killed\n", m) }
}

/* Power fails: tmpfs is gone, and with it the token. */
inline failPower(m) {
	d_step { machine[m].running ->
		copyStore(disk[m], memory[m]); printf("%d: power fails\n", m);
		machine[m].running = 0; machine[m].unsynced = 0; machine[m].placed = 0;
		machine[m].token = 0; machine[m].renewal = 0 }
}

inline start(m) {
	d_step { !machine[m].running && (m == 0 || memory[m].own) -> machine[m].running = 1; printf("%d: start\n", m) }
}

/* A backup of the running store, or a snapshot of its disk. */
inline copyAway(m) {
	d_step { machine[m].running && !machine[m].unsynced && memory[m].own && restoreCount < RESTORES ->
		printf("%d: copy\n", m); copyStore(memory[m], backup); hasBackup = 1 }
}

/* The copy takes the place of the store, or goes on at the other machine. */
inline restoreCopy(m) {
	d_step { !machine[m].running && hasBackup && restoreCount < RESTORES ->
		copyStore(backup, memory[m]); copyStore(backup, disk[m]); machine[m].unsynced = 0;
		restoreCount++; printf("%d: restore\n", m) }
}

active [MACHINES] proctype Peer() {
	do
	:: commitEdit(_pid)
	:: renewToken(_pid)
	:: syncStore(_pid)
	:: beginExport(_pid, 0)
	:: beginExport(_pid, 1)
	:: placeSegment(_pid)
	:: finishExport(_pid)
	:: kill(_pid)
	:: failPower(_pid)
	:: start(_pid)
	:: copyAway(_pid)
	:: restoreCopy(_pid)
	od
}
