import Foundation
import Synchronization
import TestSupport
import Testing

/// The failures of the disk that a daemon meets: a library between the daemon and the C library, and the rules for it in
/// a file that both map.
final class FaultControl {
    static let places = 4
    /// The bytes of a rule, and of its pattern at its end, in `Tests/Faults/faults.c`.
    private static let ruleBytes = 296
    private static let patternBytes = 256

    private let library: String
    private let rules: String
    private let memory: UnsafeMutableRawPointer

    /// Compiles the library into a folder.
    init(in folder: TemporaryFolder) async throws {
        rules = folder.path("faults")
        memory = try PreloadedLibrary.share(rules, bytes: Self.places * Self.ruleBytes)
        library = try await PreloadedLibrary("faults", in: folder).path
    }

    deinit { munmap(memory, Self.places * Self.ruleBytes) }

    /// The variables with which a program meets the failures.
    var environment: [String: String] { ["LD_PRELOAD": library, "TRIBUTARY_FAULTS": rules] }

    /// Has the calls of a rule fail from now on, instead of those of the rule that was at this place.
    func begin(_ rule: FaultRule, at place: Int = 0) {
        let base = memory + place * Self.ruleBytes
        base.storeBytes(of: 0, as: UInt32.self)
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        base.storeBytes(of: rule.calls.rawValue, toByteOffset: 4, as: UInt32.self)
        base.storeBytes(of: rule.error, toByteOffset: 8, as: Int32.self)
        base.storeBytes(of: rule.isTorn ? 1 : 0, toByteOffset: 12, as: UInt32.self)
        base.storeBytes(of: Int64(rule.skipped), toByteOffset: 16, as: Int64.self)
        base.storeBytes(of: Int64(rule.count), toByteOffset: 24, as: Int64.self)
        base.storeBytes(of: 0, toByteOffset: 32, as: Int64.self)
        let pattern = Array(rule.pattern.utf8.prefix(Self.patternBytes - 1)) + [0]
        (base + 40).copyMemory(from: pattern, byteCount: pattern.count)
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        base.storeBytes(of: 1, as: UInt32.self)
    }

    func end() {
        for place in 0..<Self.places { (memory + place * Self.ruleBytes).storeBytes(of: 0, as: UInt32.self) }
    }

    /// The number of calls that the rule at a place has failed.
    func hits(at place: Int = 0) -> Int {
        Int((memory + place * Self.ruleBytes).load(fromByteOffset: 32, as: Int64.self))
    }
}
