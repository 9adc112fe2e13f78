import CDurableCalls
import Glibc

/// The calls by which files below a folder become durable, get their names and are removed, while `body` runs.
///
/// Each is `sync PATH`, `name PATH` or `remove PATH`, with the path below the folder, `.` for the folder itself.
package struct DurableCalls: CustomStringConvertible {
    private let calls: [String]

    package init(in folder: String, _ body: () throws -> Void) throws {
        let recording = durable_calls_begin(folder)
        let result = Result { try body() }
        let text = durable_calls_end(recording)
        calls = String(cString: text).split(separator: "\n").map(String.init)
        free(text)
        try result.get()
    }

    /// Whether calls that match these patterns of fnmatch(3) were made in this order, with any others between them.
    package func contain(_ patterns: String...) -> Bool {
        var rest = patterns[...]
        for call in calls { if let next = rest.first, fnmatch(next, call, 0) == 0 { rest.removeFirst() } }
        return rest.isEmpty
    }

    package var description: String { calls.joined(separator: "\n") }
}
