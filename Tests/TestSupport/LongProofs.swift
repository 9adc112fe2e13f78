import Foundation

/// Whether random tests run for a long time: `TRIBUTARY_LONG_PROOFS=1`, for an unattended run.
///
/// Only this type reads the variable.
package enum LongProofs {
    package static let isOn = ProcessInfo.processInfo.environment["TRIBUTARY_LONG_PROOFS"] == "1"

    /// `plain` in a plain run, `long` in a long one.
    package static func count(_ plain: Int, long: Int) -> Int { isOn ? long : plain }
}
