import Glibc

/// What the process has used of processor and disk: grows while it works, stands still while it is stuck.
enum ProcessActivity {
    static func probe() -> @Sendable () -> UInt64 {
        {
            var usage = rusage()
            getrusage(RUSAGE_SELF.rawValue, &usage)
            let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
            let tenths = (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 100_000
            return UInt64(seconds * 10 + tenths) &+ UInt64(max(0, usage.ru_oublock + usage.ru_inblock))
        }
    }
}
