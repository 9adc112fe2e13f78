/// The layout of the demo's text: titles, numbered scenes, lines with times, a table.
struct DemoPage: Sendable {
    private let write: @Sendable (String) -> Void

    init(write: @escaping @Sendable (String) -> Void) {
        self.write = write
    }

    func printLine(_ line: String) { write(line) }

    func title(_ text: String) {
        write(text)
        write(String(repeating: "=", count: text.count))
    }

    func scene(_ number: Int, _ text: String) {
        write("")
        write("\(number). \(text)")
    }

    /// Prints an action of a peer; the detail is in a column of its own.
    func act(_ peer: String, _ what: String, _ detail: String = "") {
        let line = "   \(DemoPage.pad(peer, 9))\(DemoPage.pad(what, 52))"
        write(detail.isEmpty ? DemoPage.trimmed(line) : line + detail)
    }

    func table(_ rows: [[String]]) {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            rows.compactMap { $0.count > column ? $0[column].count : nil }.max() ?? 0
        }
        for row in rows {
            let cells = zip(row, widths).map { DemoPage.pad($0, $1) }
            write(DemoPage.trimmed("   | " + cells.joined(separator: " | ") + " |"))
        }
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func trimmed(_ text: String) -> String {
        var text = text
        while text.hasSuffix(" ") { text.removeLast() }
        return text
    }
}
