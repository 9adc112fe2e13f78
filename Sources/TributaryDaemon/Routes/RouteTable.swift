import HTTPTypes
import Hummingbird
import Tributary
import TributaryAdmin

// This folder contains the paths of the admin interface. A route has a type if its answer takes more than a line. It
// reads the request, asks the engine, and encodes the result.

enum RouteTable {
    static let routes: [Route] =
        [
            Route(.get, .status, .read, needs: .nothing) { try .json(await StatusReport.make(of: $0.daemon)) },
            Route(.get, .health, .read, needs: .nothing, HealthRoute.handle),
            Route(.post, .sync, .write, SyncRoute.handle),
            Route(.post, .pause, .owner, body: ["forSeconds"], PauseRoute.pause),
            Route(.post, .resume, .owner, PauseRoute.resume),
            Route(.get, .segments, .read, query: ["state", "all", "limit", "after"], SegmentsRoute.handle),
            Route(.get, .segment, .read, SegmentRoute.explain),
            Route(.post, .retrySegment, .write, SegmentRoute.retry),
            Route(.post, .acceptSegment, .owner, SegmentRoute.accept),
            Route(.post, .acceptBaseline, .owner, query: ["unproven"], CompactRoute.accept),
            Route(.get, .writers, .read, query: ["limit", "after"], WritersRoute.handle),
            Route(.post, .evictWriter, .owner, WriterRoute.evict),
            Route(.post, .abandonWriter, .owner, WriterRoute.abandon),
            Route(.post, .trustWriter, .owner, body: ["key"], WriterRoute.trust),
            Route(.post, .revokeWriter, .owner, body: ["key"], WriterRoute.revoke),
            Route(.post, .restamp, .owner, WriterRoute.restamp),
            Route(.get, .model, .read) { try .json(ModelMessage(try $0.engine().container.model)) },
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
            Route(.post, .compact, .owner, query: ["dryRun"], CompactRoute.compact),
            // It responds when the new configuration is in force, or with the error in it.
            Route(.post, .reload, .owner, needs: .nothing) { try .json(await $0.daemon.reload()) },
            Route(.get, .logLevel, .read, needs: .nothing, LogLevelRoute.get),
            Route(.put, .logLevel, .owner, needs: .nothing, body: ["level"], LogLevelRoute.put),
            Route(.get, .configuration, .read, needs: .nothing, ConfigRoute.handle),
            Route(.post, .shutdown, .owner, needs: .nothing, ShutdownRoute.handle),
            Route(.get, .page, .read, needs: .nothing, PageRoute.handle),
            Route(.get, .openAPI, .read, needs: .nothing) { _ in
                .bytes(Array(try InterfaceDocument.text.get().utf8), type: "application/openapi+json")
            },
            Route(.get, .metrics, .read, needs: .nothing) { try await MetricsRoute.response(of: $0.daemon) },
        ]
}
