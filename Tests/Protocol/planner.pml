/*
 * The import by one replica of the segments of three writers: what the folder has comes in any order, late, in parts,
 * damaged, twice, under overlapping bounds, or not at all, and may vanish again; a sequence has two contents; a clock may
 * be ahead; power may fail between any two steps; the writer A may be abandoned.
 *
 * Protocol.md says what each inline stands for. BUG_... is a deliberate fault that an assertion must find.
 *
 * Transactions, in the order of their numbers here, with what they were made after:
 *   0: A1   1: A2   2: A3, seen C1   3: another A2   4: B1, which goes on from A2   5: C1, seen A1   6: C2, seen B1
 */

/* The invariants. The names are never set: they tell which invariant an assertion that fails stands for. */
hidden byte explained;        /* when the import waits, every segment is applied or has a true reason why it is not */
hidden byte appliedOnce;      /* each transaction is applied once, whatever is interrupted, doubled or resurrected */
hidden byte inOrder;          /* a transaction is applied after all that it was made after, except what is abandoned */
hidden byte oneHistory;       /* nothing is applied of a segment that contradicts what is applied */
hidden byte verified;         /* only bytes that were verified are applied */

#define FILES 6
#define WRITERS 3
#define A 0
#define B 1
#define C 2

/* The writer, the bounds and the transactions of a file: A 1-2, A 1-3, A 2-3, A 2-3 with the other A2 under a replicator's
 * name, B 1-1, C 1-2. */
#define WRITER(f) (f <= 3 -> A : (f == 4 -> B : C))
#define FIRST(f) (f == 2 || f == 3 -> 2 : 1)
#define LAST(f) (f == 0 || f == 5 -> 2 : (f <= 3 -> 3 : 1))
#define TRANSACTION(f, n) (f == 3 && n == 2 -> 3 : (f <= 3 -> n - 1 : (f == 4 -> 4 : n + 4)))
/* The clock of file 4 is ahead. */
#define IS_HELD(f) (f == 4 && !isLate)

mtype = { absent, partial, damaged, whole };    /* what is in the folder */
mtype = { unread, incomplete, bad, valid };     /* what the planner knows of a file */
mtype folder[FILES] = absent;

/* The store: one SQLite transaction changes all of it. */
byte applied;                   /* the set of the transactions whose data are in the store */
byte position[WRITERS];         /* the last transaction of each writer */

/* The planner, which starts from nothing but the positions. */
mtype known[FILES] = unread;
bit abandoned;                  /* what has only seen A does not wait for it */
bit isLate;                     /* the wall clock has reached the clock that was ahead, or it was accepted */
byte behind;                    /* the writer, plus 1, whose data are committed and whose position is not */
byte current;                   /* the file, plus 1, that was applied from last */

hidden byte f;
hidden byte t;

#define HAS(n) (applied & (1 << (n)))
#define NEXT(f) (position[WRITER(f)] + 1)

/* What a transaction waits for: by the positions, and by what is in the store. A writer that goes on from another waits
 * for it in any case; an abandoned one is not waited for where it was only seen. */
#ifdef BUG_SEEN_IGNORED
#define MEETS_SEEN(t) true
#else
#define MEETS_SEEN(t) ((t != 2 || position[C] >= 1) && (t != 5 || position[A] >= 1 || abandoned) && \
	(t != 6 || position[B] >= 1))
#endif
#ifdef BUG_AFTER_IGNORED
#define MEETS_AFTER(t) true
#else
#ifdef BUG_ABANDONS_AFTER
#define MEETS_AFTER(t) (t != 4 || position[A] >= 2 || abandoned)
#else
#define MEETS_AFTER(t) (t != 4 || position[A] >= 2)
#endif
#endif
#define WAS_SEEN(t) ((t != 2 || HAS(5)) && (t != 5 || HAS(0)) && (t != 6 || HAS(4)))
#define WENT_BEFORE(t) ((t != 4 || HAS(1) || HAS(3)) && (t != 1 && t != 3 || HAS(0)) && (t != 2 || HAS(1) || HAS(3)) && \
	(t != 6 || HAS(5)))

/* Whether a segment has another content than the store under a sequence that both have. */
#define CONTRADICTS(f) (f <= 3 && HAS((f == 3 -> 1 : 3)))
#ifdef BUG_CONTENT_NOT_COMPARED
#define MAY_USE(f) true
#else
#define MAY_USE(f) !CONTRADICTS(f)
#endif

/* Whether a segment has the next transaction of its writer. What it has before is skipped, transaction by transaction. */
#ifdef BUG_SKIPS_SEGMENTS
#define HAS_NEXT(f) (NEXT(f) <= LAST(f) && (FIRST(f) == NEXT(f) || current == f + 1))
#else
#define HAS_NEXT(f) (FIRST(f) <= NEXT(f) && NEXT(f) <= LAST(f))
#endif

/* Whether the folder has another file than the planner knows. */
#ifdef BUG_INCOMPLETE_IS_FINAL
#define HAS_GROWN(f) false
#else
#define HAS_GROWN(f) (known[f] == incomplete && folder[f] != partial)
#endif
#define HAS_CHANGED(f) (HAS_GROWN(f) || known[f] == valid && folder[f] != whole || known[f] == bad && folder[f] != damaged)
#define IS_READY(f) (known[f] == valid && !IS_HELD(f) && MAY_USE(f) && HAS_NEXT(f) && \
	MEETS_SEEN(TRANSACTION(f, NEXT(f))) && MEETS_AFTER(TRANSACTION(f, NEXT(f))))

/* The scan of a file that has changed: nothing is known of it any more. Events are hints, so it may come late. */
inline scan(f) {
	d_step { HAS_CHANGED(f) -> known[f] = unread }
}

/* The whole file is read and classified by its bytes alone. */
inline verify(f) {
	d_step { known[f] == unread && folder[f] != absent ->
		known[f] = (folder[f] == whole -> valid : (folder[f] == damaged -> bad : incomplete)) }
}

/* One log transaction: data and position are one SQLite transaction. The bytes must hash as they did before. */
inline apply(f) {
	d_step { IS_READY(f) && !behind ->
		t = TRANSACTION(f, NEXT(f));
		if
#ifndef BUG_BYTES_NOT_COMPARED
		:: folder[f] != whole -> known[f] = unread
#endif
		:: else ->
			printf("apply transaction %d from file %d\n", t, f);
			assert(verified || folder[f] == whole);
			assert(appliedOnce || !HAS(t));
			assert(oneHistory || !CONTRADICTS(f));
			assert(inOrder || WENT_BEFORE(t));
			assert(inOrder || WAS_SEEN(t) || abandoned && t == 5);
			applied = applied | (1 << t);
#ifdef BUG_SKIPS_SEGMENTS
			current = f + 1;
#endif
#ifdef BUG_POSITION_APART
			printf("its data are committed, its position is not\n"); behind = WRITER(f) + 1
#else
			position[WRITER(f)]++
#endif
		fi;
		t = 0 }
}

/* The planner waits: it has no action for any file. Each reason is held against what is in the store, not against the
 * positions. */
inline wait() {
	d_step { !behind ->
		f = 0;
		do
		:: f < FILES && !HAS_CHANGED(f) && !(known[f] == unread && folder[f] != absent) && !IS_READY(f) -> f++
		:: else -> break
		od;
		if
		:: f == FILES ->
			for (f : 0 .. FILES - 1) {
				/* The first transaction that is not in the store. */
				t = FIRST(f);
				do
				:: t <= LAST(f) && HAS(TRANSACTION(f, t)) -> t++
				:: else -> break
				od;
				assert(explained || folder[f] == absent || folder[f] == partial && known[f] == incomplete ||
					folder[f] == damaged && known[f] == bad || folder[f] == whole && known[f] == valid && (t > LAST(f) ||
					IS_HELD(f) || CONTRADICTS(f) || !WENT_BEFORE(TRANSACTION(f, t)) || !WAS_SEEN(TRANSACTION(f, t))))
			}
		:: else
		fi;
		f = 0; t = 0 }
}

inline bring(f) {
	d_step { folder[f] != whole -> folder[f] = whole }
}

inline lose(f) {
	d_step { folder[f] != absent -> folder[f] = absent }
}

/* Power fails: what the planner knows is gone. */
inline crash() {
	d_step {
		behind = 0;
		for (f : 0 .. FILES - 1) { known[f] = unread }
		f = 0 }
}

/* An administrator has A waited for no more. Its position stays. */
inline abandonA() {
	d_step { !abandoned ->
#ifdef BUG_ABANDON_MOVES_POSITION
		position[A] = (position[A] < 2 -> 2 : position[A]);
#endif
		abandoned = 1 }
}

active proctype Planner() {
	do
	:: scan(0) :: scan(1) :: scan(2) :: scan(3) :: scan(4) :: scan(5)
	:: verify(0) :: verify(1) :: verify(2) :: verify(3) :: verify(4) :: verify(5)
	:: apply(0) :: apply(1) :: apply(2) :: apply(3) :: apply(4) :: apply(5)
	:: wait()
	:: crash()
	:: d_step { !isLate -> isLate = 1 }	/* the wall clock moves on, or the segment is accepted */
#ifdef BUG_POSITION_APART
	:: d_step { behind -> position[behind - 1]++; behind = 0 }
#endif
	:: abandonA()
	od
}

/* Replicators bring files whole, in parts or damaged, replace them, and lose them. */
active proctype Replicator() {
	do
	:: bring(0) :: bring(1) :: bring(2) :: bring(3) :: bring(4) :: bring(5)
	:: lose(0) :: lose(1) :: lose(2) :: lose(3) :: lose(4) :: lose(5)
	:: d_step { folder[1] == absent -> folder[1] = partial }
	:: d_step { folder[0] == whole -> folder[0] = damaged }
	od
}
