import Glibc

/// What the process has used of processor and disk: grows while it works, stands still while it is stuck.
enum ProcessActivity {
    static func probe() -> @Sendable () -> UInt64 {
        {
            // Processor time comes as one number: the fields of `timeval` belong to whichever C module was read first,
            // which differs between a static and a dynamic build.
            let tenths = max(0, clock()) / (CLOCKS_PER_SEC / 10)
            var usage = rusage()
            getrusage(RUSAGE_SELF.rawValue, &usage)
            return UInt64(tenths) &+ UInt64(max(0, usage.ru_oublock)) &+ UInt64(max(0, usage.ru_inblock))
        }
    }
}
