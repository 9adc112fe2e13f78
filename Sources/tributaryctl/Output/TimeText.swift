import Foundation
import TributaryChanges

enum TimeText {
    static func time(_ seconds: Double?) -> String? {
        guard let seconds else { return nil }
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = "yyyy-MM-dd HH:mm:ss"
        return formatter.string(from: Date(timeIntervalSince1970: seconds))
    }

    static func stretch(_ seconds: Double) -> String {
        let whole = Int(exactly: max(0, seconds).rounded(.down)) ?? .max
        let parts = [(whole / 86_400, "d"), (whole / 3_600 % 24, "h"), (whole / 60 % 60, "m"), (whole % 60, "s")]
        guard let first = parts.firstIndex(where: { $0.0 > 0 }) else { return "0s" }
        return parts[first...].prefix(2).filter { $0.0 > 0 }.map { "\($0.0)\($0.1)" }.joined(separator: " ")
    }
}

enum CountText {
    static func text(_ count: some BinaryInteger, _ singular: String) -> String {
        "\(count) \(singular)\(count == 1 ? "" : "s")"
    }
}

enum ProgressText {
    static func counted(_ step: JSONValue) -> String {
        let total = step.shown("total").map { " of \($0)" } ?? ""
        return "\(step.shown("phase") ?? ""): \(step.count("done"))\(total)"
    }

    static func percentage(_ step: JSONValue) -> String {
        let (phase, total) = (step.shown("phase") ?? "", step.count("total"))
        guard total > 0 else { return phase }
        return "\(phase), \(Int(min(100, Double(step.count("done")) / Double(total) * 100))) %"
    }
}
