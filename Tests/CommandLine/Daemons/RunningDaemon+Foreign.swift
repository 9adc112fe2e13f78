import Foundation
import TestSupport

extension RunningDaemon {
    /// A foreign writer with a correct clock; each number denotes another writer.
    static func foreignWriter(_ number: UInt8 = 1) -> ForeignWriter {
        let digits = String(number, radix: 16)
        return ForeignWriter(
            id: "5f0c0000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits,
            milliseconds: UInt64(Date().timeIntervalSince1970 * 1000)
        )
    }

    static func employee(_ number: UInt8) -> String {
        let digits = String(number, radix: 16)
        return "0190f1a2-0000-7000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
    }

    /// Returns the line that inserts an employee whose ID is derived from a number.
    static func insertion(_ number: UInt8, name: String? = nil) -> String {
        #"{"insert":"Employee","id":"\#(employee(number))","values":{"name":"\#(name ?? "N\(number)")"}}"#
    }
}
