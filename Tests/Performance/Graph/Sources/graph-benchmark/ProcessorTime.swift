import Foundation

/// Times by the processor: a machine that others use as well hardly changes them.
enum ProcessorTime {
    /// Seconds that this thread took for `body`.
    static func seconds(_ body: () throws -> Void) rethrows -> Double {
        let start = now()
        try body()
        return now() - start
    }

    /// The processor time of one of `count` operations, in nanoseconds.
    static func nanoseconds(each count: Int, _ body: () throws -> Void) rethrows -> Double {
        try seconds(body) * 1_000_000_000 / Double(count)
    }

    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }
}
