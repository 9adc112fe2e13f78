/// Rows in aligned columns.
struct Table {
    private let titles: [String]
    private var rows: [[String]] = []
    /// The widest that a cell of any column but the last may be.
    private static let widest = 60

    init(_ titles: String...) {
        self.titles = titles
    }

    init(titles: [String]) {
        self.titles = titles
    }

    mutating func add(_ cells: [String?]) {
        rows.append(cells.map { EscapedText.escape($0 ?? "-") })
    }

    /// Lines with the titles above; only the titles when there are no rows.
    func lines(on terminal: Terminal) -> [String] {
        let all = [titles] + rows
        let widths = titles.indices.map { column in
            all.map { column < $0.count ? min($0[column].count, Table.widest) : 0 }.max() ?? 0
        }
        return all.enumerated().map { index, cells in
            let line = cells.enumerated().map { column, cell in
                column == cells.count - 1 ? cell : Table.pad(cell, to: widths[column])
            }.joined(separator: "  ")
            return index == 0 ? terminal.styled(line, .bold) : line
        }
    }

    func print(on terminal: Terminal) {
        for line in lines(on: terminal) { terminal.print(line) }
    }

    private static func pad(_ text: String, to width: Int) -> String {
        if text.count > width { return String(text.prefix(width - 1)) + "~" }
        return text + String(repeating: " ", count: width - text.count)
    }
}
