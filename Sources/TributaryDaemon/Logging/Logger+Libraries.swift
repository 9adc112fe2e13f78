import Logging

extension Logger {
    /// A logger for entries of third-party libraries.
    var forLibraries: Logger {
        let handler = handler
        return Logger(label: label) { _ in LibraryLogHandler(handler) }
    }
}
