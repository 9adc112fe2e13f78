import HTTPTypes

/// The table of all routes of the admin interface.
enum RouteTable {
    static let routes: [Route] = [
        Route(.get, "/v1/status", .read, needs: .nothing, StatusRoute.handle),
        Route(.get, "/v1/health", .read, needs: .nothing, HealthRoute.handle),
        Route(.post, "/v1/sync", .write, SyncRoute.handle),
        Route(.post, "/v1/pause", .owner, PauseRoute.pause),
        Route(.post, "/v1/resume", .owner, PauseRoute.resume),
        Route(.get, "/v1/segments", .read, query: ["state", "all", "limit", "after"], SegmentsRoute.handle),
        Route(.get, "/v1/segments/{writer}/{range}", .read, SegmentRoute.explain),
        Route(.post, "/v1/segments/{writer}/{range}/retry", .write, SegmentRoute.retry),
        Route(.post, "/v1/segments/{writer}/{range}/accept", .owner, SegmentRoute.accept),
        Route(.get, "/v1/writers", .read, query: ["limit", "after"], WritersRoute.handle),
        Route(.get, "/v1/model", .read, ModelRoute.handle),
        Route(
            .get,
            "/v1/objects/{entity}",
            .read,
            query: ["where", "sort", "count", "include", "limit", "after"],
            ObjectsRoute.handle
        ),
        Route(.get, "/v1/objects/{entity}/{id}", .read, query: ["include"], ObjectRoute.handle),
        Route(.post, "/v1/transactions", .write, TransactionsRoute.handle),
        Route(.get, "/v1/history", .read, query: ["after", "limit"], HistoryRoute.handle),
        Route(.get, "/v1/changes", .read, query: ["after"], ChangesRoute.handle),
        Route(.get, "/v1/digest", .read, DigestRoute.handle),
        Route(.post, "/v1/reload", .owner, needs: .nothing, ReloadRoute.handle),
        Route(.get, "/v1/log-level", .read, needs: .nothing, LogLevelRoute.get),
        Route(.put, "/v1/log-level", .owner, needs: .nothing, LogLevelRoute.put),
        Route(.get, "/v1/config", .read, needs: .nothing, ConfigRoute.handle),
        Route(.post, "/v1/shutdown", .owner, needs: .nothing, ShutdownRoute.handle),
        Route(.get, "/metrics", .read, needs: .nothing, MetricsRoute.handle),

        // Later versions implement these paths; until then the response says so.
        Route(.post, "/v1/writers/{writer}/evict", .owner, needs: .nothing, UnimplementedRoute.handle),
        Route(.post, "/v1/writers/{writer}/abandon", .owner, needs: .nothing, UnimplementedRoute.handle),
        Route(.post, "/v1/writers/self/restamp", .owner, needs: .nothing, UnimplementedRoute.handle),
        Route(.get, "/v1/conflicts", .read, needs: .nothing, UnimplementedRoute.handle),
        Route(.post, "/v1/conflicts/{number}/restore", .write, needs: .nothing, UnimplementedRoute.handle),
        Route(.post, "/v1/check", .write, needs: .nothing, UnimplementedRoute.handle),
        Route(.post, "/v1/backup", .owner, needs: .nothing, UnimplementedRoute.handle),
        Route(.post, "/v1/compact", .owner, needs: .nothing, query: ["dryRun"], UnimplementedRoute.handle),
    ]
}
