import TributaryChanges

struct ConflictText {
    private let conflict: JSONValue
    private static let valueLimit = 200

    init(_ conflict: JSONValue) {
        self.conflict = conflict
    }

    func text(_ key: String) -> String? { ResponseJSON.text(conflict[key]) }

    var object: String { [text("entity"), text("id")].compactMap(\.self).joined(separator: " ") }

    var foundAt: String? {
        switch conflict["foundAt"] {
        case .double(let seconds)?: TimeText.time(seconds)
        case .integer(let seconds)?: TimeText.time(Double(seconds))
        default: nil
        }
    }

    func writer(_ write: String) -> String? {
        ResponseJSON.text(conflict[write]?["name"]) ?? ResponseJSON.text(conflict[write]?["writer"])
    }

    /// The value as JSON, so that null, a number and a text are told apart; long ones are cut.
    func value(_ write: String) -> String? {
        guard let text = conflict[write]?["value"]?.text else { return nil }
        let limit = ConflictText.valueLimit
        return text.count > limit ? text.prefix(limit) + "…" : text
    }

    func lines(_ write: String) -> [(String, String?)] {
        let values = conflict[write]
        let isDeletion = write == "winning" && text("rule") == "deletion"
        return [
            (write, isDeletion ? "deletion" : values?["value"]?.text ?? "not kept"),
            (
                "  writer",
                [writer(write), ResponseJSON.text(values?["writer"])].compactMap(\.self).joined(separator: " ")
            ),
            ("  sequence", ResponseJSON.text(values?["sequence"])),
            ("  clock", ResponseJSON.text(values?["clock"])),
        ]
    }
}
