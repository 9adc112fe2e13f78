/*
 * The export of local transactions, and the identity of a store, while machines lose power and stores are restored
 * from backups, copied over, cloned to a second machine, or have their log folder unmounted.
 *
 * Protocol.md says what each label stands for and which invariant each assertion is. check.sh runs the variants:
 *   NO_COPIES       no backup is taken, so that crashes alone happen
 *   CLONE           the backup may also start on a second machine
 *   BUG_...         a deliberate fault that an assertion must find
 */

#ifdef CLONE
#define MACHINES 2
#define SEQUENCES 2
#define EDITS 3
#define RESTORES 1
#else
#define MACHINES 1
#define SEQUENCES 3
#define EDITS 4
#define RESTORES 2
#endif
#define WRITERS 3

/* The invariants. The names are never set: they tell which invariant an assertion that fails stands for. */
hidden byte oneContent;          /* no sequence has two contents from one identity */
hidden byte exportedOnce;        /* an edit is exported under one identity, unless a copy is in use twice: beside its
                                 * original, or because it was restored a second time */
hidden byte onlyCopiesChange;    /* a store that was never copied keeps its identity, whenever power fails */
hidden byte exportsAll;          /* what a store has saved and still has is exported in the end */

typedef Store {
	byte own;                   /* the writer that the store numbers its transactions for */
	byte sequence;              /* the last local transaction */
	byte edit[SEQUENCES + 1];   /* the edit that each local transaction has */
	byte exported;              /* the last transaction of the finished ranges */
	byte last;                  /* the last transaction of the begun range; 0 without one */
	bit header;                 /* the header of the begun range */
	byte home;                  /* the machine and the file that the store was made for */
	byte edits                  /* the set of the edits of all its local transactions */
}

/* What SQLite shows, what survives a power failure, and a copy of that. */
Store memory[MACHINES];
Store disk[MACHINES];
Store backup;

typedef Machine {
	byte home;                  /* the machine with the store's present file */
	bit running;
	bit checked;                /* the identity was checked since the start, and is the store's own */
	bit foreign;                /* the check has found that the store needs a new writer */
	bit unsynced;               /* a commit has not reached the disk */
	bit placed;                 /* the begun range has its file */
	bit mounted;                /* the log folder is there */
	bit copied;                 /* the store's file was ever replaced by a copy */
	byte files[WRITERS];        /* the last transaction that the folder's segments of each writer have */
	byte baselines[WRITERS]     /* the last transaction of each writer that the folder's baselines cover */
}
Machine machine[MACHINES];

/* All that was ever placed: the edit and the name (bounds and header) of each sequence of each writer. */
typedef Log { byte edit[SEQUENCES + 1]; byte name[SEQUENCES + 1] }
Log log[WRITERS];
byte placedAs[EDITS + 1];       /* the writer, plus 1, under which each edit was placed first */
byte placedEdits;               /* the set of the edits that were placed */
byte editCount;
byte writerCount = 1;
byte homeCount = MACHINES;
bit hasBackup;
byte restoreCount;

hidden byte s;
hidden byte top;
hidden byte count;

/* The store is open, and no commit is on its way to the disk. */
#define OPEN(m) (machine[m].running && !machine[m].unsynced)
#define MAY_EXPORT(m) (OPEN(m) && machine[m].checked)
#ifdef BUG_RENAME_BEFORE_SYNC
#define MAY_PLACE(m) machine[m].running
#else
#define MAY_PLACE(m) OPEN(m)
#endif

#define PLACED_ELSEWHERE(m, n) (placedAs[memory[m].edit[n]] && placedAs[memory[m].edit[n]] != memory[m].own + 1)
/* The bounds of the begun range and its header, which are what of a segment may differ beside its edits. */
#define RANGE_NAME(m) (2 + memory[m].exported + 4 * memory[m].last + 16 * memory[m].header)

inline copyStore(from, to) {
	to.own = from.own; to.sequence = from.sequence; to.exported = from.exported; to.last = from.last;
	to.header = from.header; to.home = from.home; to.edits = from.edits;
	s = 1;
	do
	:: s <= SEQUENCES -> to.edit[s] = from.edit[s]; s++
	:: else -> break
	od;
	s = 0
}

inline stop(m) {
	copyStore(disk[m], memory[m]);
	machine[m].running = 0; machine[m].checked = 0; machine[m].foreign = 0;
	machine[m].unsynced = 0; machine[m].placed = 0
}

/* A save: the edit and its number are one SQLite transaction. */
inline commitEdit(m) {
	d_step { OPEN(m) && memory[m].sequence < SEQUENCES && editCount < EDITS ->
		editCount++; memory[m].sequence++; memory[m].edit[memory[m].sequence] = editCount;
		memory[m].edits = memory[m].edits | (1 << editCount);
		printf("%d: save edit %d as transaction %d of writer %d\n", m, editCount, memory[m].sequence, memory[m].own);
		machine[m].unsynced = 1 }
}

/* The commit reaches the disk. */
inline syncStore(m) {
	d_step { machine[m].unsynced -> copyStore(memory[m], disk[m]); machine[m].unsynced = 0 ;printf("%d: sync\n", m) }
}

/* The identity is checked once after each start, as soon as the folder is there: is this the home of the store, and
 * does the folder, in segments or in baselines, know no own transaction that the store has not exported? */
inline checkIdentity(m) {
	d_step { OPEN(m) && machine[m].mounted && !machine[m].checked && !machine[m].foreign ->
		findTop(m);
		if
#ifdef BUG_NO_CHECK
		:: machine[m].checked = 1
#else
		:: machine[m].home == memory[m].home && top <= (memory[m].last -> memory[m].last : memory[m].exported) ->
			machine[m].checked = 1
		:: else ->
			assert(onlyCopiesChange || machine[m].copied);
			printf("%d: the store is a copy\n", m); machine[m].foreign = 1
#ifdef BUG_HOME_APART
			; memory[m].home = machine[m].home; copyStore(memory[m], disk[m])
#endif
#endif
		fi;
		top = 0 }
}

/* The last own transaction of which the folder knows. */
inline findTop(m) {
	top = machine[m].files[memory[m].own];
#ifndef BUG_CHECK_IGNORES_BASELINES
	if
	:: machine[m].baselines[memory[m].own] > top -> top = machine[m].baselines[memory[m].own]
	:: else
	fi
#endif
}

/* Whether a local transaction is in the folder: in a segment with equal content, or in a baseline that has its clock.
 * A transaction that was saved after the store was restored may have the number of another one. */
#ifdef BUG_COMPARES_NUMBERS
#define IS_PLACED(m, n) (n <= top)
#else
#define IS_PLACED(m, n) (n <= top && (n <= machine[m].baselines[memory[m].own] \
	-> memory[m].edit[n] <= log[memory[m].own].edit[machine[m].baselines[memory[m].own]] \
	: memory[m].edit[n] == log[memory[m].own].edit[n]))
#endif

/* The store takes a new writer. What the folder does not have is numbered anew; the rest is a former writer's now. */
inline mintWriter(m) {
	d_step { machine[m].foreign && writerCount < WRITERS ->
		findTop(m);
		count = 0; s = memory[m].exported + 1;
		do
		:: s <= memory[m].sequence ->
			if
#ifndef BUG_REISSUES_EXPORTED
			:: IS_PLACED(m, s)
#endif
			:: else -> count++; memory[m].edit[count] = memory[m].edit[s]
			fi;
			s++
		:: else -> break
		od;
		memory[m].sequence = count; memory[m].exported = 0; memory[m].last = 0; memory[m].header = 0;
		s = count + 1;
		do
		:: s <= SEQUENCES -> memory[m].edit[s] = 0; s++
		:: else -> break
		od;
		memory[m].own = writerCount; writerCount++;
		memory[m].home = machine[m].home;
		machine[m].foreign = 0; machine[m].checked = 1; machine[m].unsynced = 1;
		printf("%d: becomes writer %d, with %d transactions of its own\n", m, memory[m].own, count);
		count = 0; s = 0; top = 0 }
}

/* The range of the next segment and its header are committed. */
inline beginExport(m, newHeader) {
	d_step { MAY_EXPORT(m) && !memory[m].last && memory[m].exported < memory[m].sequence ->
		memory[m].last = memory[m].sequence; memory[m].header = newHeader;
		printf("%d: begin %d-%d\n", m, memory[m].exported + 1, memory[m].last);
		machine[m].unsynced = 1
#ifdef BUG_RANGE_NOT_COMMITTED
		; machine[m].unsynced = 0
#endif
	}
}

/* The staged file is complete and synced; it is renamed without replacing one. */
inline placeSegment(m) {
	d_step { machine[m].checked && memory[m].last && !machine[m].placed && MAY_PLACE(m) && machine[m].mounted ->
		printf("%d: place %d-%d of writer %d\n", m, memory[m].exported + 1, memory[m].last, memory[m].own);
		s = memory[m].exported + 1;
		do
		:: s <= memory[m].last ->
			assert(oneContent || !log[memory[m].own].edit[s] || log[memory[m].own].edit[s] == memory[m].edit[s]);
			assert(oneContent || !log[memory[m].own].name[s] || log[memory[m].own].name[s] == RANGE_NAME(m));
			assert(exportedOnce || !PLACED_ELSEWHERE(m, s) || MACHINES > 1 || restoreCount > 1);
			log[memory[m].own].edit[s] = memory[m].edit[s];
			log[memory[m].own].name[s] = RANGE_NAME(m);
			placedAs[memory[m].edit[s]] = memory[m].own + 1;
			placedEdits = placedEdits | (1 << memory[m].edit[s]);
			s++
		:: else -> break
		od;
		s = 0;
		if
		:: machine[m].files[memory[m].own] < memory[m].last -> machine[m].files[memory[m].own] = memory[m].last
		:: else
		fi;
		machine[m].placed = 1 }
}

/* That the segment has its name is committed. */
inline finishExport(m) {
	d_step { machine[m].placed && !machine[m].unsynced ->
		printf("%d: finish\n", m);
		memory[m].exported = memory[m].last; memory[m].last = 0; memory[m].header = 0;
		machine[m].placed = 0; machine[m].unsynced = 1;
		assert(exportsAll || memory[m].exported < memory[m].sequence || !(memory[m].edits & ~placedEdits)) }
}

/* Own segments are removed once a baseline covers them; prune.pml has the conditions. */
inline pruneSegments(m) {
	d_step { MAY_EXPORT(m) && !memory[m].last && machine[m].files[memory[m].own] &&
		machine[m].files[memory[m].own] == memory[m].exported ->
		printf("%d: prune\n", m);
		machine[m].baselines[memory[m].own] = memory[m].exported; machine[m].files[memory[m].own] = 0 }
}

/* A backup of the running store, or a snapshot of its disk. */
inline copyAway(m) {
	d_step { OPEN(m) && restoreCount == 0 ->
		printf("%d: copy\n", m); copyStore(memory[m], backup); hasBackup = 1 }
}

/* The copy replaces the store, in its file or in a new one; on a second machine it is a clone. */
inline restoreCopy(m, newFile) {
	d_step { !machine[m].running && hasBackup && restoreCount < RESTORES ->
		copyStore(backup, memory[m]); copyStore(backup, disk[m]);
		if
		:: newFile -> homeCount++; machine[m].home = homeCount
		:: else
		fi;
		printf("%d: restore, new file: %d\n", m, newFile); machine[m].copied = 1; restoreCount++ }
}

proctype Peer(byte m) {
	do
	:: commitEdit(m)
	:: syncStore(m)
	:: checkIdentity(m)
	:: mintWriter(m)
	:: beginExport(m, 0)
	:: beginExport(m, 1)
	:: placeSegment(m)
	:: finishExport(m)
	:: d_step { machine[m].running -> printf("%d: power fails\n", m); stop(m) }	/* power fails at any moment */
	:: d_step { !machine[m].running && memory[m].home -> printf("%d: start\n", m); machine[m].running = 1 }
#ifndef CLONE
	:: d_step { !machine[m].running && machine[m].mounted -> machine[m].mounted = 0 }
	:: d_step { !machine[m].mounted -> machine[m].mounted = 1 }
	:: pruneSegments(m)
#endif
#ifndef NO_COPIES
	:: copyAway(m)
	:: restoreCopy(m, 0)
	:: restoreCopy(m, 1)
#endif
	od
}

init {
	d_step {
		machine[0].mounted = 1; machine[0].home = 1; memory[0].home = 1; disk[0].home = 1;
#ifdef CLONE
		machine[1].mounted = 1; machine[1].home = 2;
#endif
	};
	run Peer(0);
#ifdef CLONE
	run Peer(1);
#endif
}
