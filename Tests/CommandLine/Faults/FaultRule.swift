import Glibc

/// Some system calls of a daemon that fail, until the rule is removed or has been applied often enough.
struct FaultRule: Sendable, Hashable {
    /// The kinds of system calls, as `Tests/Faults/faults.c` numbers them.
    struct Calls: OptionSet, Sendable, Hashable {
        var rawValue: UInt32

        static let open = Calls(rawValue: 1)
        static let write = Calls(rawValue: 2)
        /// fsync and fdatasync, of files and folders.
        static let sync = Calls(rawValue: 4)
        static let truncate = Calls(rawValue: 8)
        /// rename and link, by the new name.
        static let rename = Calls(rawValue: 16)
        static let read = Calls(rawValue: 32)
        /// access and stat.
        static let look = Calls(rawValue: 64)
    }

    var calls: Calls
    /// The pattern of fnmatch(3) that the path of the file matches; `*` matches slashes too.
    var pattern: String
    /// The failure as errno; 0 when the call succeeds, with half of its bytes.
    var error: Int32
    /// Whether half of the bytes are written all the same.
    var isTorn = false
    var skipped = 0
    /// The number of calls that fail after that; negative for all.
    var count = -1

    static func failing(_ calls: Calls, _ pattern: String, _ error: Int32, skipped: Int = 0) -> FaultRule {
        FaultRule(calls: calls, pattern: pattern, error: error, skipped: skipped)
    }

    /// A write of half of the bytes that is reported as a failure.
    static func torn(_ pattern: String, _ error: Int32) -> FaultRule {
        FaultRule(calls: .write, pattern: pattern, error: error, isTorn: true)
    }

    /// A write of half of the bytes that reports its length: no failure for a program that writes the rest.
    static func short(_ pattern: String) -> FaultRule {
        FaultRule(calls: .write, pattern: pattern, error: 0, isTorn: true)
    }

    /// Whether a program that uses the calls as it should notices nothing.
    var isHarmless: Bool { error == 0 }
}
