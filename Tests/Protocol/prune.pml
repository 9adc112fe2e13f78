/*
 * Acknowledging, endorsed baselines and pruning among stores, while replicators resurrect removed segments, power fails,
 * and makers of baselines make a wrong one. An endorsement is a file of its own beside the baseline.
 *
 * Protocol.md says what each inline stands for. check.sh runs the variants:
 *   THREE_STORES    store 2 joins late, may be evicted, and may come back; otherwise there are two stores
 *   SET_BACK        store 1 may be set back, and is writer 2 from then on
 *   TWO_BASELINES   otherwise there is one
 *   BUG_...         a deliberate fault that an assertion must find
 */

/* The invariants. The names are never set: they tell which invariant an assertion that fails stands for. */
hidden byte everyActiveHasIt;   /* no segment is removed before its store has it, and each active one that was not set back */
hidden byte recoverable;        /* a new store gets all that was published, from segments and endorsed baselines */
hidden byte trueState;          /* no store takes the state of a wrong baseline */

#define SEQUENCES 2
#define WRITERS 3
#ifdef TWO_BASELINES
#define BASELINES 2
#else
#define BASELINES 1
#endif
/* The transactions of a writer, and the two writers that a store may be. */
#ifdef THREE_STORES
#define STORES 3
#define COUNT(w) (w == 0 -> 1 : 2)
#define FRESH(p) p
#else
#define STORES 2
#define COUNT(w) 2
#define FRESH(p) (p == 1 -> 2 : p)
#endif
#define OWN(p) (p == 1 && wasSetBack -> FRESH(p) : p)
#define IS_OF(w, p) (w == p || w == FRESH(p))

/* Rows of WRITERS numbers: a store's positions; what the transactions of a writer have seen, its own included. */
#define AT(row, column) ((row) * WRITERS + (column))
/* The transaction of a writer with a sequence. */
#define TRANSACTION(w, n) ((w) * SEQUENCES + (n) - 1)
#define ALL (WRITERS * SEQUENCES)

byte position[STORES * WRITERS];
byte count[WRITERS];            /* the last transaction of each writer */
byte seen[ALL * WRITERS];
bit segment[ALL];               /* the segments in the folder, one for each transaction */
bit evicted[STORES];
byte unsynced[STORES];          /* the writer, plus 1, whose last imported transaction is not on the disk */
bit wasRemoved;                 /* the segment of transaction 1 of writer 0 */
bit wasSetBack;

/* A wrong baseline has a fault: the writer, plus 1, whose state was wrong. */
typedef Baseline { bit exists; bit isEndorsed; bit isCondemned; byte fault; byte vector[WRITERS] }
Baseline baseline[BASELINES];

hidden byte i;
hidden byte j;
hidden byte k;
hidden byte others;
hidden byte acknowledged;

/* What survives a power failure at a store. */
#define DURABLE(p, w) (position[AT(p, w)] - (unsynced[p] == w + 1))
/* As far as store p has applied: whether it knows store q; whether q, by any of its writers, has acknowledged n of w. */
#define KNOWS(p, q) (position[AT(p, q)] || position[AT(p, FRESH(q))])
#define SHOWS(p, x, w, n) (position[AT(p, x)] && seen[AT(TRANSACTION(x, position[AT(p, x)]), w)] >= n)
#define ACKNOWLEDGES(p, q, w, n) (SHOWS(p, q, w, n) || SHOWS(p, FRESH(q), w, n))
/* Whether store p has what baseline b covers, of a writer and of all. */
#define HAS(p, b, w) (position[AT(p, w)] >= baseline[b].vector[w])
#define HAS_ALL(p, b) (HAS(p, b, 0) && HAS(p, b, 1) && HAS(p, b, 2))
/* Whether baseline b covers all that baseline c covers. */
#define COVERS(b, c) (baseline[b].vector[0] >= baseline[c].vector[0] && \
	baseline[b].vector[1] >= baseline[c].vector[1] && baseline[b].vector[2] >= baseline[c].vector[2])
/* Whether baseline b is endorsed and right, and has transaction n of writer w. */
#define IS_COVERED(b, w, n) (baseline[b].isEndorsed && !baseline[b].fault && baseline[b].vector[w] >= n)

/* How many other stores are active, as far as store p has applied, and how many of them have acknowledged transaction n of
 * writer w. */
inline countOthers(p, w, n) {
	others = 0; acknowledged = 0;
	for (i : 0 .. STORES - 1) {
		others = others + (i != p && KNOWS(p, i) && !evicted[i]);
		acknowledged = acknowledged + (
#ifndef BUG_COUNTS_EVICTED
			!evicted[i] &&
#endif
			i != p && ACKNOWLEDGES(p, i, w, n))
	}
}

/* A local transaction: changes, or only what has been seen. It is on the disk before its segment is in the folder. */
inline write(p) {
	d_step {
#ifndef BUG_ACKNOWLEDGES_BEFORE_DURABLE
		!unsynced[p] &&
#endif
		position[AT(p, OWN(p))] < COUNT(OWN(p)) ->
		position[AT(p, OWN(p))]++; count[OWN(p)] = position[AT(p, OWN(p))];
		k = TRANSACTION(OWN(p), count[OWN(p)]);
		segment[k] = 1;
		for (i : 0 .. WRITERS - 1) { seen[AT(k, i)] = position[AT(p, i)] }
		printf("%d: write transaction %d of %d\n", p, count[OWN(p)], OWN(p)); i = 0; k = 0 }
}

/* The next transaction of writer w is applied after all that it has seen. Later it is on the disk. */
inline import(p, w) {
	d_step { position[AT(p, w)] < count[w] && !unsynced[p] && segment[TRANSACTION(w, position[AT(p, w)] + 1)] ->
		i = 0;
		do
		:: i < WRITERS && (i == w || seen[AT(TRANSACTION(w, position[AT(p, w)] + 1), i)] <= position[AT(p, i)]) -> i++
		:: else -> break
		od;
		if
		:: i == WRITERS ->
			position[AT(p, w)]++; unsynced[p] = (w == 0 || STORES == 2 -> w + 1 : 0);
			printf("%d: import transaction %d of %d\n", p, position[AT(p, w)], w)
		:: else
		fi;
		i = 0 }
}

inline syncStore(p) {
	d_step { unsynced[p] -> unsynced[p] = 0; printf("%d: sync\n", p) }
}

inline failPower(p) {
	d_step { unsynced[p] -> position[AT(p, unsynced[p] - 1)]--; unsynced[p] = 0; printf("%d: power fails\n", p) }
}

/* A store writes its whole state, which may be wrong, with its own positions. */
inline cutBaseline(p, b, isWrong) {
	d_step { !baseline[b].exists && !unsynced[p] && position[AT(p, OWN(p))] ->
		baseline[b].exists = 1; baseline[b].fault = (isWrong -> OWN(p) + 1 : 0);
		for (i : 0 .. WRITERS - 1) { baseline[b].vector[i] = position[AT(p, i)] }
		i = 0; printf("%d: cut baseline %d, fault: %d\n", p, b, baseline[b].fault) }
}

/* A store that has all that a baseline covers compares it, and endorses it when there is no difference. The maker's own
 * state has the same fault, so the maker compares with the files of the log folder too. */
inline compareBaseline(p, b) {
	d_step { baseline[b].exists && !baseline[b].isEndorsed && (
#ifdef BUG_ENDORSES_UNCOMPARED
		true ||
#endif
#ifdef BUG_ENDORSES_PARTS
		!HAS_ALL(p, b) ||
#endif
#ifdef BUG_WRITERS_ENDORSE
		baseline[b].fault && IS_OF(baseline[b].fault - 1, p) && baseline[b].fault - 1 != OWN(p) ||
#endif
		HAS_ALL(p, b) && !baseline[b].fault) ->
		baseline[b].isEndorsed = 1; printf("%d: endorse baseline %d\n", p, b) }
}

/* A store joins an endorsed baseline, for each writer from the side that has more of it: at any time, in any order. */
inline joinBaseline(p, b) {
	d_step {
#ifndef BUG_JOINS_UNENDORSED
		baseline[b].isEndorsed &&
#endif
		baseline[b].exists && !unsynced[p] && !HAS_ALL(p, b) ->
		assert(trueState || !baseline[b].fault);
		for (i : 0 .. WRITERS - 1) { position[AT(p, i)] = (HAS(p, b, i) -> position[AT(p, i)] : baseline[b].vector[i]) }
		i = 0; printf("%d: join baseline %d\n", p, b) }
}

/* Each published transaction is in a segment, or in a right baseline that is endorsed. */
inline checkRecoverable() {
	for (i : 0 .. WRITERS - 1) {
		for (j : 1 .. count[i]) {
			assert(recoverable || segment[TRANSACTION(i, j)] || IS_COVERED(0, i, j) || IS_COVERED(BASELINES - 1, i, j))
		}
	}
	i = 0; j = 0
}

/* A store removes a segment of its writer or of a former one: what it has read, an endorsed baseline covers, and every
 * active store has acknowledged. */
inline pruneSegment(p, w, n, b) {
	d_step {
#ifndef BUG_PRUNES_UNREAD
		DURABLE(p, w) >= n &&
#endif
#ifndef BUG_PRUNES_UNENDORSED
		baseline[b].isEndorsed &&
#endif
		segment[TRANSACTION(w, n)] && baseline[b].vector[w] >= n ->
		countOthers(p, w, n);
		if
#ifdef BUG_IGNORES_ACTIVE
		:: acknowledged ->
#else
		:: acknowledged >= others ->
#endif
			for (i : 0 .. STORES - 1) {
				assert(everyActiveHasIt || i != p && (evicted[i] || !KNOWS(p, i) || i == 1 && wasSetBack) || DURABLE(i, w) >= n)
			}
			segment[TRANSACTION(w, n)] = 0; wasRemoved = wasRemoved || w == 0 && n == 1;
			printf("%d: prune transaction %d of %d\n", p, n, w);
			checkRecoverable()
		:: else
		fi;
		others = 0; acknowledged = 0; i = 0 }
}

/* A replicator brings a removed segment back; its store may remove it again. */
inline resurrect() {
	d_step { wasRemoved && !segment[0] -> segment[0] = 1 }
}

/* The maker of a baseline, or who endorses it, decides to remove its file when another one covers more, by what its copy of
 * the folder shows. */
inline condemnBaseline(b, other) {
	d_step {
#ifndef BUG_EQUAL_DOMINATES
		!COVERS(b, other) &&
#endif
#ifndef BUG_UNENDORSED_DOMINATES
		baseline[other].isEndorsed &&
#endif
		baseline[b].exists && !baseline[b].isCondemned && baseline[other].exists && COVERS(other, b) ->
		baseline[b].isCondemned = 1; printf("condemn baseline %d\n", b) }
}

/* The file is gone everywhere some time later: the endorsement first, or with its baseline. */
inline removeEndorsement(b) {
	d_step {
#ifndef BUG_ABSENT_IS_GONE
		baseline[b].isCondemned &&
#endif
		baseline[b].isEndorsed ->
		baseline[b].isEndorsed = 0; printf("remove the endorsement of baseline %d\n", b);
		checkRecoverable() }
}

inline removeBaseline(b) {
	d_step { baseline[b].isCondemned ->
		printf("remove baseline %d\n", b);
		baseline[b].exists = 0; baseline[b].isEndorsed = 0; baseline[b].isCondemned = 0; baseline[b].fault = 0;
		baseline[b].vector[0] = 0; baseline[b].vector[1] = 0; baseline[b].vector[2] = 0;
		checkRecoverable() }
}

/* The disk of store 1 is set back to what it was after its first transaction. It goes on as a fresh writer. */
inline setBack() {
	d_step { !wasSetBack && position[AT(1, 1)] ->
		wasSetBack = 1; unsynced[1] = 0;
		for (i : 0 .. WRITERS - 1) { position[AT(1, i)] = seen[AT(TRANSACTION(1, 1), i)] }
		i = 0; printf("1: set back, is writer 2\n") }
}

active [STORES] proctype Peer() {
	do
	:: write(_pid)
	:: import(_pid, 0) :: import(_pid, 1) :: import(_pid, 2)
	:: syncStore(_pid)
	:: failPower(_pid)
	:: cutBaseline(_pid, 0, 1) :: cutBaseline(_pid, 0, 0)
	:: compareBaseline(_pid, 0) :: joinBaseline(_pid, 0)
#ifdef TWO_BASELINES
	:: cutBaseline(_pid, 1, 1) :: cutBaseline(_pid, 1, 0)
	:: compareBaseline(_pid, 1) :: joinBaseline(_pid, 1)
	:: pruneSegment(_pid, _pid, 1, 1) :: pruneSegment(_pid, _pid, 2, 1)
#endif
#ifndef THREE_STORES
	:: pruneSegment(_pid, _pid, 1, 0) :: pruneSegment(_pid, _pid, 2, 0)
#endif
	od
}

active proctype Others() {
	do
	:: resurrect()
#ifdef TWO_BASELINES
	:: condemnBaseline(0, 1) :: condemnBaseline(1, 0)
	:: removeEndorsement(0) :: removeEndorsement(1) :: removeBaseline(0) :: removeBaseline(1)
#endif
#ifdef SET_BACK
	:: setBack()
#endif
#ifdef THREE_STORES
	:: pruneSegment(0, 0, 1, 0)
	:: d_step { !evicted[2] -> evicted[2] = 1; printf("evict 2\n") }
	:: d_step { evicted[2] -> evicted[2] = 0; printf("2 comes back\n") }
#endif
	od
}
