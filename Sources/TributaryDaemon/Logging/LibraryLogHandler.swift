import Logging

/// Handles entries of third-party libraries, which describe their internals, at level `trace`.
struct LibraryLogHandler: LogHandler {
    private var inner: any LogHandler

    init(_ inner: any LogHandler) {
        self.inner = inner
    }

    /// Libraries cannot change the daemon's level.
    var logLevel: Logger.Level {
        get { inner.logLevel == .trace ? .trace : max(inner.logLevel, .info) }
        set {}
    }

    var metadata: Logger.Metadata {
        get { inner.metadata }
        set { inner.metadata = newValue }
    }

    var metadataProvider: Logger.MetadataProvider? {
        get { inner.metadataProvider }
        set { inner.metadataProvider = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { inner[metadataKey: key] }
        set { inner[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) {
        inner.log(event: event)
    }
}

extension Logger {
    var forLibraries: Logger {
        let handler = handler
        return Logger(label: label) { _ in LibraryLogHandler(handler) }
    }
}
