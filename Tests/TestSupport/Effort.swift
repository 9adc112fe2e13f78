import CDurableCalls
import Foundation
import Glibc

/// The cost of an operation: elapsed time, and the time of all processors that this process used.
///
/// The processor time hardly changes when other processes use the machine as well.
package struct Effort {
    package var wall: Double
    package var processor: Double

    package static func measure(_ body: () async throws -> Void) async rethrows -> Effort {
        let (start, used) = (ContinuousClock.now, processorSeconds)
        try await body()
        return Effort(wall: (ContinuousClock.now - start) / .seconds(1), processor: processorSeconds - used)
    }

    /// The processor time in seconds of a block that does not wait.
    package static func measured(_ body: () throws -> Void) rethrows -> Double {
        let used = processorSeconds
        try body()
        return processorSeconds - used
    }

    package static var peakKiB: Int { usage.ru_maxrss }

    private static var usage: rusage {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage
    }

    private static var processorSeconds: Double {
        let usage = usage
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
}

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

/// The maximum number of IDs in a pending notification of this test run.
///
/// `TRIBUTARY_PENDING_LIMIT=1` makes "everything has changed" the normal case, which every context must handle.
package enum PendingLimit {
    /// The limit from the environment; nil uses the library's own limit.
    package static let asked = ProcessInfo.processInfo.environment["TRIBUTARY_PENDING_LIMIT"].flatMap { Int($0) }

    /// Whether a set with the given number of IDs collapses only because the environment sets a low limit.
    package static func collapses(_ count: Int) -> Bool { asked.map { count > $0 } ?? false }
}
