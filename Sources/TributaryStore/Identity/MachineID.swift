import Foundation
import TributaryChanges

/// The machine that the program runs on.
package enum MachineID {
    /// Tells the hash from those that other programs make of the machine's ID.
    private static let application = "tributary 8e0c1f5a-6d1b-4c6e-9d5e-5f3b1a7c2e90"

    /// The hash of the machine's ID, so that the ID itself is not published with the store; nil when there is none.
    package static var current: String? {
        guard let text = try? String(contentsOfFile: "/etc/machine-id", encoding: .utf8) else { return nil }
        return hash(of: text)
    }

    /// The hash of an ID; nil unless it is one.
    package static func hash(of text: String) -> String? {
        let id = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard id.utf8.count == 32, id.utf8.allSatisfy({ hexadecimalDigit($0) != nil }) else { return nil }
        return SHA256.hash(data: "\(application) \(id)".utf8).hexadecimal
    }
}
