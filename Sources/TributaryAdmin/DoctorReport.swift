/// What `tributaryd --doctor` prints as JSON, and `tributaryctl doctor` as text.
package struct DoctorReport: Codable, Hashable, Sendable {
    package enum Level: String, Codable, Sendable {
        case good
        /// Works, and may harm later.
        case notice
        /// Keeps the service from starting or working.
        case problem
    }

    package struct Finding: Codable, Hashable, Sendable {
        /// One word, such as `keys`.
        package var subject: String
        package var level: Level
        /// A sentence without a capital and a full stop.
        package var text: String
        /// Commands for a shell, to be typed in this order.
        package var commands: [String]
        /// What to do, in words; nil when the commands say it.
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

    /// The user with whose rights the program has looked.
    package var user: String
    /// The unit of the service; nil when this machine has none for the configuration.
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
