import FuzzEntry
import FuzzTargets
import Glibc

/// The target that the environment chooses, for one process.
private let target = getenv("TRIBUTARY_FUZZ_TARGET").flatMap { FuzzTarget(rawValue: String(cString: $0)) }

/// Called by libFuzzer with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let target else { fatalError("TRIBUTARY_FUZZ_TARGET names no target: \(FuzzTarget.allCases)") }
    target.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}
