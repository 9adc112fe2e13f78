import Foundation

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
