import Foundation

/// The data of a `progress` event of long work.
struct WorkStep: Decodable {
    var phase: String
    var done: Int64
    var total: Int64?

    init?(_ data: String) {
        guard let step = try? JSONDecoder().decode(WorkStep.self, from: Data(data.utf8)) else { return nil }
        self = step
    }

    /// The step as in `segments: 3 of 7`.
    var counted: String { "\(phase): \(done)" + (total.map { " of \($0)" } ?? "") }

    /// The step as in `copying, 42 %`; the phase alone without a total.
    var percentage: String {
        guard let total, total > 0 else { return phase }
        return "\(phase), \(Int(min(100, Double(done) / Double(total) * 100))) %"
    }
}
