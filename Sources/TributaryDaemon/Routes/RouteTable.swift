import HTTPTypes
import TributaryAdmin

// This folder has a type for each path of the admin interface. A route reads the request, asks the engine, and encodes
// the value that it gets.

enum RouteTable {
    static let routes: [Route] =
        [
            Route(.get, .status, .read, needs: .nothing, StatusRoute.handle),
            Route(.get, .health, .read, needs: .nothing, HealthRoute.handle),
            Route(.post, .sync, .write, SyncRoute.handle),
            Route(.post, .pause, .owner, body: ["forSeconds"], PauseRoute.pause),
            Route(.post, .resume, .owner, PauseRoute.resume),
            Route(.get, .segments, .read, query: ["state", "all", "limit", "after"], SegmentsRoute.handle),
            Route(.get, .segment, .read, SegmentRoute.explain),
            Route(.post, .retrySegment, .write, SegmentRoute.retry),
            Route(.post, .acceptSegment, .owner, SegmentRoute.accept),
            Route(.get, .writers, .read, query: ["limit", "after"], WritersRoute.handle),
            Route(.post, .evictWriter, .owner, WriterRoute.evict),
            Route(.post, .abandonWriter, .owner, WriterRoute.abandon),
            Route(.post, .restamp, .owner, WriterRoute.restamp),
            Route(.get, .model, .read, ModelRoute.handle),
            Route(
                .get,
                .objects,
                .read,
                query: ["where", "sort", "count", "include", "limit", "after"],
                ObjectsRoute.handle
            ),
            Route(.get, .object, .read, query: ["include", "limit", "after"], ObjectRoute.handle),
            Route(.post, .transactions, .write, body: ["changes"], TransactionsRoute.handle),
            Route(.get, .history, .read, query: ["after", "limit"], HistoryRoute.handle),
            Route(.get, .changes, .read, query: ["after"], ChangesRoute.handle),
            Route(.get, .conflicts, .read, query: ["limit", "after"], ConflictsRoute.list),
            Route(.post, .restoreConflict, .write, ConflictsRoute.restore),
            Route(.get, .digest, .read, DigestRoute.handle),
            Route(.post, .check, .write, body: ["repair"], CheckRoute.handle),
            Route(.post, .backup, .owner, BackupRoute.handle),
            Route(.post, .compact, .owner, query: ["dryRun"], CompactRoute.handle),
            Route(.post, .reload, .owner, needs: .nothing, ReloadRoute.handle),
            Route(.get, .logLevel, .read, needs: .nothing, LogLevelRoute.get),
            Route(.put, .logLevel, .owner, needs: .nothing, body: ["level"], LogLevelRoute.put),
            Route(.get, .configuration, .read, needs: .nothing, ConfigRoute.handle),
            Route(.post, .shutdown, .owner, needs: .nothing, ShutdownRoute.handle),
            Route(.get, .metrics, .read, needs: .nothing, MetricsRoute.handle),
        ]
}
