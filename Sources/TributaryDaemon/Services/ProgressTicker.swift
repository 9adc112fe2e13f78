/// Extends the service manager's timeout during a long start or stop, as long as there is progress.
enum ProgressTicker {
    private static let interval = Duration.seconds(10)
    private static let grant = Duration.seconds(30)

    static func run<T>(
        notifier: SystemdNotifier,
        hasProgress: @escaping @Sendable () -> UInt64,
        _ body: () async throws -> T
    ) async rethrows -> T {
        let ticker = Task {
            var last = hasProgress()
            while true {
                try await Task.sleep(for: interval)
                let now = hasProgress()
                if now != last { notifier.extendTimeout(by: grant) }
                last = now
            }
        }
        defer { ticker.cancel() }
        return try await body()
    }
}
