/*
 * The import by one replica of the segments of two other writers: what the folder has comes in any order, late, in
 * parts, damaged, twice, or not at all, and may vanish again; one writer was cloned, so that a sequence of it has two
 * contents; a clock may be ahead; power may fail between any two steps; the writer A may be abandoned.
 *
 * Protocol.md says what each inline stands for. check.sh runs the variants:
 *   ABANDON         an administrator may abandon writer A
 *   BUG_...         a deliberate fault that an assertion must find
 *
 * Transactions, in the order of their numbers here, with what their `seen` names:
 *   0: A1   1: A2   2: A3, seen B1   3: A2 of the clone   4: B1, seen A1   5: B2, seen A2
 */

/* The invariants. The names are never set: they tell which invariant an assertion that fails stands for. */
hidden byte explained;        /* when the import waits, every segment is applied or has a true reason why it is not */
hidden byte appliedOnce;      /* each transaction is applied once, whatever is interrupted, doubled or resurrected */
hidden byte inOrder;          /* a transaction is applied after all that it was made after, except what is abandoned */
hidden byte verified;         /* only bytes that were verified are applied */

#define FILES 6
#define TRANSACTIONS 6
#define NONE 255

/* The first and the last transaction of a file. File 4 is the clone's; files 3 and 5 have the same bytes under two
 * names: a replicator's copy. */
#define FROM(n) (n == 0 -> 0 : (n == 1 -> 1 : (n == 2 -> 4 : (n == 4 -> 3 : 5))))
#define THROUGH(n) (n == 1 -> 2 : FROM(n))
/* The transaction before one in its branch; the branches of A part after A1. */
#define AFTER(n) (n == 0 || n == 4 -> NONE : (n == 3 -> 0 : n - 1))
/* What one has seen of the other writer. */
#define SEEN(n) (n == 2 -> 4 : (n == 4 -> 0 : (n == 5 -> 1 : NONE)))
#define IS_OF_A(n) (n <= 3)
/* The clock of file 2 is ahead. */
#define IS_HELD(n) (n == 2 && !isLate)

mtype = { absent, partial, damaged, whole };    /* what is in the folder */
mtype = { unread, incomplete, bad, valid };     /* what the planner knows of a file */
mtype folder[FILES] = absent;

/* The store: one SQLite transaction changes all of it. */
byte applied;                   /* the set of the transactions whose data are in the store */
byte position;                  /* the set of the transactions that the positions of the chains cover */

/* The planner, which starts from nothing but the positions. */
mtype known[FILES] = unread;
bit abandoned;                  /* nothing of A is waited for */
bit isLate;                     /* the wall clock has reached the clock that was ahead, or it was accepted */
bit halfApplied;                /* the data of a transaction are committed, its position is not */

hidden byte f;
hidden byte t;
hidden byte reason;

#define HAS(set, n) ((set) & (1 << (n)))

/* The transaction of the file that is next; NONE when the positions cover the file. */
inline findNext(n) {
	t = FROM(n);
	do
	:: t <= THROUGH(n) && HAS(position, t) -> t++
	:: else -> break
	od;
	if
	:: t > THROUGH(n) -> t = NONE
	:: else
	fi
}

/* Why the planner does not apply transaction t now, by what it knows; NONE when it may. A `seen` of A2 is satisfied by
 * either branch. */
inline findReason() {
	reason = NONE;
	if
	:: AFTER(t) != NONE && !HAS(position, AFTER(t)) -> reason = AFTER(t)
	:: else
	fi;
#ifndef BUG_SEEN_IGNORED
	if
	:: reason == NONE && SEEN(t) != NONE && !HAS(position, SEEN(t)) &&
		!(SEEN(t) == 1 && HAS(position, 3)) && !(abandoned && IS_OF_A(SEEN(t))) ->
		reason = SEEN(t)
	:: else
	fi;
#endif
#ifdef BUG_FIRST_BRANCH_WINS
	if
	:: t == 3 && HAS(position, 1) -> reason = 1
	:: t == 1 && HAS(position, 3) -> reason = 3
	:: else
	fi;
#endif
}

/* Whether the folder has another file than the planner knows. */
#ifdef BUG_INCOMPLETE_IS_FINAL
#define HAS_GROWN(n) false
#else
#define HAS_GROWN(n) (known[n] == incomplete && folder[n] != partial)
#endif
#define HAS_CHANGED(n) (HAS_GROWN(n) || known[n] == valid && folder[n] != whole || \
	known[n] == bad && folder[n] != damaged)

/* The scan of a file that has changed: nothing is known of it any more. Events are hints, so it may come late. */
inline scan(n) {
	d_step { HAS_CHANGED(n) -> known[n] = unread }
}

/* The whole file is read and classified by its bytes alone. */
inline verify(n) {
	d_step { known[n] == unread && folder[n] != absent ->
		known[n] = (folder[n] == whole -> valid : (folder[n] == damaged -> bad : incomplete)) }
}

/* One log transaction: data and position are one SQLite transaction. The bytes must hash as they did before. */
inline apply(n) {
	d_step { known[n] == valid && !IS_HELD(n) && !halfApplied ->
		findNext(n);
		if
		:: t != NONE -> findReason()
		:: else -> reason = 0
		fi;
		if
		:: reason != NONE -> skip
#ifndef BUG_BYTES_NOT_COMPARED
		:: reason == NONE && folder[n] != whole -> known[n] = unread
		:: reason == NONE && folder[n] == whole ->
#else
		:: reason == NONE ->
#endif
			printf("apply transaction %d from file %d\n", t, n);
			assert(verified || folder[n] == whole);
			assert(appliedOnce || !HAS(applied, t));
			assert(inOrder || AFTER(t) == NONE || HAS(applied, AFTER(t)));
			assert(inOrder || SEEN(t) == NONE || HAS(applied, SEEN(t)) ||
				SEEN(t) == 1 && HAS(applied, 3) || abandoned && IS_OF_A(SEEN(t)));
			applied = applied | (1 << t);
#ifdef BUG_POSITION_APART
			printf("its data are committed, its position is not\n"); halfApplied = 1
#else
			position = position | (1 << t)
#endif
		fi;
		t = 0; reason = 0 }
}

/* Whether the planner has an action for a file. */
inline findAction(n) {
	if
	:: HAS_CHANGED(n) || known[n] == unread && folder[n] != absent -> reason = NONE
	:: !HAS_CHANGED(n) && known[n] == valid && !IS_HELD(n) ->
		findNext(n);
		if
		:: t != NONE -> findReason()
		:: else -> reason = 0
		fi
	:: else -> reason = 0
	fi
}

#ifdef BUG_POSITION_APART
#define MAY_BE_APART (applied != position)
#else
#define MAY_BE_APART false
#endif

/* The planner waits: it has no action for any file. Each reason is held against what is in the store, not against the
 * positions. */
inline wait() {
	d_step {
		f = 0;
		do
		:: f < FILES ->
			findAction(f);
			if
			:: reason == NONE -> break
			:: else -> f++
			fi
		:: else -> break
		od;
		if
		:: f < FILES || MAY_BE_APART -> skip
		:: else ->
			f = 0;
			do
			:: f < FILES ->
				if
				:: folder[f] == partial -> assert(explained || known[f] == incomplete)
				:: folder[f] == damaged -> assert(explained || known[f] == bad)
				:: folder[f] == whole ->
					assert(explained || known[f] == valid);
					/* The first transaction that is not in the store. */
					t = FROM(f);
					do
					:: t <= THROUGH(f) && HAS(applied, t) -> t++
					:: else -> break
					od;
					assert(explained || t > THROUGH(f) || IS_HELD(f) ||
						AFTER(t) != NONE && !HAS(applied, AFTER(t)) ||
						SEEN(t) != NONE && !HAS(applied, SEEN(t)) &&
						!(SEEN(t) == 1 && HAS(applied, 3)))
				:: else
				fi;
				f++
			:: else -> break
			od
		fi;
		f = 0; t = 0; reason = 0 }
}

inline bring(n) {
	d_step { folder[n] != whole -> folder[n] = whole }
}

inline lose(n) {
	d_step { folder[n] != absent -> folder[n] = absent }
}

/* Power fails: what the planner knows is gone. */
inline crash() {
	d_step {
		halfApplied = 0; f = 0;
		do
		:: f < FILES -> known[f] = unread; f++
		:: else -> break
		od;
		f = 0 }
}

inline abandonA() {
	d_step { !abandoned -> abandoned = 1
#ifdef BUG_ABANDON_MOVES_POSITION
		; position = position | 3
#endif
	}
}

active proctype Planner() {
	do
	:: scan(0) :: scan(1) :: scan(2) :: scan(3) :: scan(4) :: scan(5)
	:: verify(0) :: verify(1) :: verify(2) :: verify(3) :: verify(4) :: verify(5)
	:: apply(0) :: apply(1) :: apply(2) :: apply(3) :: apply(4) :: apply(5)
	:: wait()
	:: crash()
	:: d_step { halfApplied -> position = applied; halfApplied = 0 }
	:: d_step { !isLate -> isLate = 1 }	/* the wall clock moves on, or the segment is accepted */
#ifdef ABANDON
	:: abandonA()
#endif
	od
}

/* Replicators bring files whole, in parts or damaged, replace them, and lose them. */
active proctype Replicator() {
	do
	:: bring(0) :: bring(1) :: bring(2) :: bring(3) :: bring(4) :: bring(5)
	:: lose(0) :: lose(1) :: lose(2) :: lose(3) :: lose(4) :: lose(5)
	:: d_step { folder[1] == absent -> folder[1] = partial }
	:: d_step { folder[3] == whole -> folder[3] = damaged }
	od
}
