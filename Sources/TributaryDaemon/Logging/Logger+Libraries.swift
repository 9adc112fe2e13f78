import Logging

extension Logger {
    /// A logger for the libraries' own entries.
    var forLibraries: Logger {
        let handler = handler
        return Logger(label: label) { _ in LibraryLogHandler(handler) }
    }
}
