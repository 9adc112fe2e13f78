struct MetricsText {
    enum Kind: String {
        case counter
        case gauge
    }

    private(set) var text = ""

    /// Adds a metric without labels; a metric without a value is left out.
    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Double?) {
        guard let value else { return }
        add(name, kind, help, [([], value)])
    }

    mutating func add(
        _ name: String,
        _ kind: Kind,
        _ help: String,
        _ samples: [(labels: [(String, String)], value: Double)]
    ) {
        guard !samples.isEmpty else { return }
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
        for sample in samples {
            let labels = sample.labels.map { "\($0)=\"\(MetricsText.escape($1))\"" }.joined(separator: ",")
            let value =
                sample.value == sample.value.rounded() && abs(sample.value) < 1e15
                ? String(Int64(sample.value)) : String(sample.value)
            text += "\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(value)\n"
        }
    }

    private static func escape(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}
