import Logging

extension Logger {
    var forLibraries: Logger {
        let handler = handler
        return Logger(label: label) { _ in LibraryLogHandler(handler) }
    }
}
