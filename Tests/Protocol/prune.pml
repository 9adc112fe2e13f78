/*
 * Acknowledging, baselines and pruning among three writers. Writer 2 joins late, may be evicted, and may come back; a
 * replicator may resurrect removed segments; power may fail; a baseline may be wrong, by a fault of its maker.
 *
 * Protocol.md says what each inline stands for. check.sh runs the variants:
 *   TWO_BASELINES   two writers with two baselines, of which one may be wrong; otherwise three writers with one baseline
 *   SUCCESSOR       the store of writer 1 was writer 0 before: it prunes the segment of that one by its own knowledge
 *   BUG_...         a deliberate fault that an assertion must find
 */

/* The invariants. The names are never set: they tell which invariant an assertion that fails stands for. */
hidden byte everyActiveHasIt;   /* no acknowledged write is pruned before every active writer has it */
hidden byte recoverable;        /* a new store gets everything that was exported from segments and verified baselines */
hidden byte trueState;          /* no store takes the state of a wrong baseline */

#define WRITERS 3
#define SEQUENCES 2
#ifdef TWO_BASELINES
#define PEERS 2
#define COUNT(p) 2
#else
#define PEERS 3
#define COUNT(p) (p == 0 -> 1 : 2)
#endif
#define BASELINES 2
#define ALL (WRITERS * (SEQUENCES + 1))

/* Rows of WRITERS numbers: a store's positions; what the transactions of a writer have seen, its own included. */
#define AT(row, column) ((row) * WRITERS + (column))
/* The transaction of a writer with a sequence. */
#define TRANSACTION(writer, sequence) ((writer) * (SEQUENCES + 1) + (sequence))

byte position[WRITERS * WRITERS];
byte seen[ALL * WRITERS];
bit segment[ALL];               /* the segments in the folder, one for each transaction */
bit removed[ALL];               /* the segments that their writer has removed */
bit evicted[WRITERS];
byte unsynced[WRITERS];         /* the writer, plus 1, whose last imported transaction is not on the disk */

typedef Baseline {
	bit exists; bit isRight; bit isVerified; bit isCondemned; byte maker; byte vector[WRITERS]
}
Baseline baseline[BASELINES];

hidden byte i;
hidden byte j;

/* What survives a power failure at a store. */
#define DURABLE(p, w) (position[AT(p, w)] - (unsynced[p] == w + 1))
#define KNOWS(p, w) (position[AT(p, w)] > 0)

/* Whether, as far as writer w has applied, writer q has acknowledged transaction n of w. */
#define ACKNOWLEDGED(w, q, n) (KNOWS(w, q) && seen[AT(TRANSACTION(q, position[AT(w, q)]), w)] >= n)

/* Whether baseline b is verified and has transaction n of writer w. */
#define IS_COVERED(b, w, n) \
	(baseline[b].exists && baseline[b].isVerified && baseline[b].isRight && baseline[b].vector[w] >= n)

/* Whether baseline b covers all that baseline c covers, and more. */
#define COVERS(b, c) (baseline[b].vector[0] >= baseline[c].vector[0] && \
	baseline[b].vector[1] >= baseline[c].vector[1] && baseline[b].vector[2] >= baseline[c].vector[2])
#define DOMINATES(b, c) (COVERS(b, c) && !COVERS(c, b))

/* What the protocol asks before an action, and what a fault in it leaves out. */
#ifdef BUG_ACKNOWLEDGES_BEFORE_DURABLE
#define MAY_ACKNOWLEDGE(p) true
#else
#define MAY_ACKNOWLEDGE(p) (!unsynced[p])
#endif
#ifdef BUG_JOINS_UNVERIFIED
#define MAY_JOIN(b) true
#else
#define MAY_JOIN(b) baseline[b].isVerified
#endif
#ifdef BUG_PRUNES_UNVERIFIED
#define MAY_COVER(b, w, n) (baseline[b].exists && baseline[b].vector[w] >= n)
#else
#define MAY_COVER(b, w, n) (baseline[b].exists && baseline[b].isVerified && baseline[b].vector[w] >= n)
#endif
#ifdef BUG_UNVERIFIED_DOMINATES
#define MAY_REPLACE(other, b) DOMINATES(other, b)
#else
#ifdef BUG_EQUAL_DOMINATES
#define MAY_REPLACE(other, b) (baseline[other].isVerified && COVERS(other, b))
#else
#define MAY_REPLACE(other, b) (baseline[other].isVerified && DOMINATES(other, b))
#endif
#endif
#define NEXT(w) ((w + 1) % WRITERS)
#define LAST(w) ((w + 2) % WRITERS)
#define IS_ACTIVE(w, q) (KNOWS(w, q) && !evicted[q])
#ifdef BUG_IGNORES_ACTIVE
#define IS_ACKNOWLEDGED(w, n) (ACKNOWLEDGED(w, NEXT(w), n) || ACKNOWLEDGED(w, LAST(w), n))
#else
#ifdef BUG_COUNTS_EVICTED
#define IS_ACKNOWLEDGED(w, n) (ACKNOWLEDGED(w, NEXT(w), n) + ACKNOWLEDGED(w, LAST(w), n) >= \
	IS_ACTIVE(w, NEXT(w)) + IS_ACTIVE(w, LAST(w)))
#else
#define IS_ACKNOWLEDGED(w, n) ((!IS_ACTIVE(w, NEXT(w)) || ACKNOWLEDGED(w, NEXT(w), n)) && \
	(!IS_ACTIVE(w, LAST(w)) || ACKNOWLEDGED(w, LAST(w), n)))
#endif
#endif

/* A local transaction: changes, or only what has been seen. It is on the disk before its segment is in the folder. */
inline write(p) {
	d_step { position[AT(p, p)] < COUNT(p) && MAY_ACKNOWLEDGE(p) ->
		position[AT(p, p)]++;
		i = 0;
		do
		:: i < WRITERS -> seen[AT(TRANSACTION(p, position[AT(p, p)]), i)] = position[AT(p, i)]; i++
		:: else -> break
		od;
		i = 0;
		segment[TRANSACTION(p, position[AT(p, p)])] = 1;
		printf("%d: write transaction %d\n", p, position[AT(p, p)]) }
}

/* The next transaction of writer w is applied after all that it has seen. Later it is on the disk. */
inline import(p, w) {
	d_step { position[AT(p, w)] < position[AT(w, w)] && !unsynced[p] &&
		segment[TRANSACTION(w, position[AT(p, w)] + 1)] ->
		i = 0;
		do
		:: i < WRITERS && (i == w || seen[AT(TRANSACTION(w, position[AT(p, w)] + 1), i)] <= position[AT(p, i)]) -> i++
		:: else -> break
		od;
		if
		:: i == WRITERS ->
			position[AT(p, w)]++; unsynced[p] = (w == 0 || PEERS == 2 -> w + 1 : 0);
			printf("%d: import transaction %d of %d\n", p, position[AT(p, w)], w)
		:: else
		fi;
		i = 0 }
}

inline syncStore(p) {
	d_step { unsynced[p] -> unsynced[p] = 0; printf("%d: sync\n", p) }
}

inline failPower(p) {
	d_step { unsynced[p] ->
		position[AT(p, unsynced[p] - 1)]--; unsynced[p] = 0; printf("%d: power fails\n", p) }
}

/* A store writes its whole state with its own positions. */
inline cutBaseline(p, b, right) {
	d_step { !baseline[b].exists && !unsynced[p] && position[AT(p, p)] ->
		baseline[b].exists = 1; baseline[b].isRight = right; baseline[b].maker = p;
		i = 0;
		do
		:: i < WRITERS -> baseline[b].vector[i] = position[AT(p, i)]; i++
		:: else -> break
		od;
		i = 0;
		printf("%d: cut baseline %d, right: %d\n", p, b, right) }
}

/* Another writer, which has applied at least as much, has found that the baseline has the bytes that it would write. */
inline verifyBaseline(p, b) {
	d_step { baseline[b].exists && baseline[b].isRight && !baseline[b].isVerified && baseline[b].maker != p &&
		position[AT(p, p)] && position[AT(p, 0)] >= baseline[b].vector[0] &&
		position[AT(p, 1)] >= baseline[b].vector[1] && position[AT(p, 2)] >= baseline[b].vector[2] ->
		baseline[b].isVerified = 1; printf("%d: verify baseline %d\n", p, b) }
}

/* A new store, or a running one that lacks segments, takes the state of a baseline. */
inline joinBaseline(p, b) {
	d_step { baseline[b].exists && MAY_JOIN(b) && !unsynced[p] &&
		(position[AT(p, 0)] < baseline[b].vector[0] || position[AT(p, 1)] < baseline[b].vector[1] ||
		position[AT(p, 2)] < baseline[b].vector[2]) ->
		assert(trueState || baseline[b].isRight);
		i = 0;
		do
		:: i < WRITERS && position[AT(p, i)] < baseline[b].vector[i] -> position[AT(p, i)] = baseline[b].vector[i]; i++
		:: i < WRITERS && position[AT(p, i)] >= baseline[b].vector[i] -> i++
		:: else -> break
		od;
		i = 0;
		printf("%d: join baseline %d\n", p, b) }
}

/* Each exported transaction is in a segment or in a verified baseline. */
inline checkRecoverable() {
	i = 0;
	do
	:: i < WRITERS ->
		j = 1;
		do
		:: j <= position[AT(i, i)] ->
			assert(recoverable || segment[TRANSACTION(i, j)] || IS_COVERED(0, i, j) || IS_COVERED(1, i, j)); j++
		:: else -> break
		od;
		i++
	:: else -> break
	od;
	i = 0; j = 0
}

/* The maker decides to remove a baseline that another one dominates, by what its copy of the folder shows. */
inline condemnBaseline(b, other) {
	d_step { baseline[b].exists && !baseline[b].isCondemned && baseline[other].exists && MAY_REPLACE(other, b) ->
		baseline[b].isCondemned = 1; printf("%d: condemn baseline %d\n", baseline[b].maker, b) }
}

/* It is gone everywhere some time later. */
inline removeBaseline(b) {
	d_step { baseline[b].isCondemned ->
		printf("%d: remove baseline %d\n", baseline[b].maker, b);
		baseline[b].exists = 0; baseline[b].isRight = 0; baseline[b].isVerified = 0; baseline[b].isCondemned = 0;
		baseline[b].maker = 0; baseline[b].vector[0] = 0; baseline[b].vector[1] = 0; baseline[b].vector[2] = 0;
		checkRecoverable() }
}

#ifdef TWO_BASELINES
#ifdef BUG_WITHDRAWS_DISPUTED
#define MAY_WITHDRAW(b) true
#else
#define MAY_WITHDRAW(b) !baseline[b].isRight
#endif

/* The maker builds its baseline again from the folder, and removes it when it was wrong. */
inline withdrawBaseline(b) {
	d_step { baseline[b].exists && !baseline[b].isCondemned && MAY_WITHDRAW(b) ->
		printf("%d: withdraw baseline %d\n", baseline[b].maker, b);
		baseline[b].exists = 0; baseline[b].isRight = 0; baseline[b].isVerified = 0;
		baseline[b].maker = 0; baseline[b].vector[0] = 0; baseline[b].vector[1] = 0; baseline[b].vector[2] = 0;
		checkRecoverable() }
}
#endif

#ifdef SUCCESSOR
/* Whether, as far as the store of writer p has applied, writer q has acknowledged transaction n of w. */
#ifdef BUG_SUCCESSOR_ASKS_NOBODY
#define IS_ACKNOWLEDGED_FOR(p, w, q, n) true
#else
#define IS_ACKNOWLEDGED_FOR(p, w, q, n) \
	(!IS_ACTIVE(p, q) || seen[AT(TRANSACTION(q, position[AT(p, q)]), w)] >= n)
#endif

/* The store of writer p, which was writer w before, removes the segment of transaction n of w; q is the third writer. */
inline pruneFormer(p, w, q, n) {
	d_step { segment[TRANSACTION(w, n)] && DURABLE(p, w) >= n && (MAY_COVER(0, w, n) || MAY_COVER(1, w, n)) &&
		IS_ACKNOWLEDGED_FOR(p, w, q, n) ->
		assert(everyActiveHasIt || evicted[q] || !KNOWS(p, q) || DURABLE(q, w) >= n);
		segment[TRANSACTION(w, n)] = 0; removed[TRANSACTION(w, n)] = 1;
		printf("%d: prune transaction %d of %d\n", p, n, w);
		checkRecoverable() }
}
#endif

/* Writer w removes the segment of its transaction n. */
inline pruneSegment(w, n) {
	d_step { segment[TRANSACTION(w, n)] && (MAY_COVER(0, w, n) || MAY_COVER(1, w, n)) && IS_ACKNOWLEDGED(w, n) ->
		i = 0;
		do
		:: i < WRITERS ->
			assert(everyActiveHasIt || i == w || evicted[i] || !KNOWS(w, i) || DURABLE(i, w) >= n); i++
		:: else -> break
		od;
		segment[TRANSACTION(w, n)] = 0; removed[TRANSACTION(w, n)] = 1;
		printf("%d: prune transaction %d\n", w, n);
		checkRecoverable() }
}

/* A replicator brings a removed segment back; its writer may remove it again. */
inline resurrect(w, n) {
	d_step { removed[TRANSACTION(w, n)] && !segment[TRANSACTION(w, n)] -> segment[TRANSACTION(w, n)] = 1 }
}

active [PEERS] proctype Peer() {
	do
	:: write(_pid)
	:: import(_pid, (_pid + 1) % WRITERS)
	:: import(_pid, (_pid + 2) % WRITERS)
	:: syncStore(_pid)
	:: failPower(_pid)
	:: cutBaseline(_pid, 0, 1)
	:: verifyBaseline(_pid, 0)
	:: joinBaseline(_pid, 0)
#ifdef TWO_BASELINES
	:: cutBaseline(_pid, 0, 0)
	:: cutBaseline(_pid, 1, 0)
	:: cutBaseline(_pid, 1, 1)
	:: verifyBaseline(_pid, 1)
	:: joinBaseline(_pid, 1)
	:: pruneSegment(_pid, 1)
	:: pruneSegment(_pid, 2)
#endif
	od
}

active proctype Others() {
	do
	:: resurrect(0, 1)
#ifdef TWO_BASELINES
	:: condemnBaseline(0, 1) :: condemnBaseline(1, 0)
	:: removeBaseline(0) :: removeBaseline(1)
	:: withdrawBaseline(0) :: withdrawBaseline(1)
#else
#ifdef SUCCESSOR
	:: pruneFormer(1, 0, 2, 1)
#else
	:: pruneSegment(0, 1)
#endif
	:: d_step { !evicted[2] -> evicted[2] = 1; printf("evict 2\n") }
	:: d_step { evicted[2] -> evicted[2] = 0; printf("2 comes back\n") }
#endif
	od
}
