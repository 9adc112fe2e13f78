/// The output of `tributaryd --doctor` as JSON, and of `tributaryctl doctor` as text.
package struct DoctorReport: Codable, Hashable, Sendable {
    package enum Level: String, Codable, Sendable {
        case good
        case notice
        case problem
    }

    package struct Finding: Codable, Hashable, Sendable {
        package var subject: String
        package var level: Level
        /// A sentence without a capital and a full stop.
        package var text: String
        package var commands: [String]
        package var hint: String?

        package init(
            _ subject: String,
            _ level: Level,
            _ text: String,
            _ commands: [String] = [],
            hint: String? = nil
        ) {
            (self.subject, self.level, self.text, self.commands) = (subject, level, text, commands)
            self.hint = hint
        }
    }

    package var user: String
    /// Nil when no unit on this machine has this configuration.
    package var unit: String?
    package var findings: [Finding] = []

    package init(user: String, unit: String?) { (self.user, self.unit) = (user, unit) }

    package var hasProblems: Bool { findings.contains { $0.level == .problem } }

    package mutating func add(
        _ subject: String,
        _ level: Level,
        _ text: String,
        _ commands: [String] = [],
        hint: String? = nil
    ) {
        findings.append(Finding(subject, level, text, commands, hint: hint))
    }
}
