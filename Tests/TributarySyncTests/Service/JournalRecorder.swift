import Logging
import Synchronization

final class JournalRecorder: Sendable {
    struct Entry: Sendable {
        var level: Logger.Level
        var message: String
        var values: [String: String]
    }

    private struct Handler: LogHandler {
        let recorder: JournalRecorder
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let values = metadata.merging(event.metadata ?? [:]) { $1 }.mapValues { "\($0)" }
            let entry = Entry(level: event.level, message: "\(event.message)", values: values)
            recorder.recorded.withLock { $0.append(entry) }
        }
    }

    private let recorded = Mutex<[Entry]>([])

    var entries: [Entry] { recorded.withLock { $0 } }

    var logger: Logger { Logger(label: "test") { _ in Handler(recorder: self) } }
}
