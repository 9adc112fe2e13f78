import Glibc

/// The processor time and disk use of the process, which grow while it works and stay constant while it hangs.
enum ProcessActivity {
    static func probe() -> @Sendable () -> UInt64 {
        {
            // Processor time is read as one number: the fields of `timeval` belong to the C module that is imported
            // first, which differs between static and dynamic builds.
            let tenths = max(0, clock()) / (CLOCKS_PER_SEC / 10)
            var usage = rusage()
            getrusage(RUSAGE_SELF.rawValue, &usage)
            return UInt64(tenths) &+ UInt64(max(0, usage.ru_oublock)) &+ UInt64(max(0, usage.ru_inblock))
        }
    }
}
