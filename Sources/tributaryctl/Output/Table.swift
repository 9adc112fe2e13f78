import TributaryAdmin

/// On a narrow terminal the last column is wrapped, or each row becomes a block with a line for each column.
struct Table {
    private let titles: [String]
    private var rows: [[String]] = []
    private static let widest = 60
    /// The output for a program is not cut, but a long value makes no other row longer.
    private static let widestForPrograms = 256
    private static let narrowest = 24

    init(_ titles: String...) {
        self.titles = titles
    }

    init(titles: [String]) {
        self.titles = titles
    }

    mutating func add(_ cells: [String?]) {
        rows.append(cells.map { EscapedText.escape($0 ?? "-") })
    }

    func lines(on terminal: Terminal) -> [String] {
        let all = [titles] + rows
        let widths = titles.indices.map { column in
            let widest = terminal.width == nil ? Table.widestForPrograms : Table.widest
            return all.map { column < $0.count ? min($0[column].count, widest) : 0 }.max() ?? 0
        }
        let fixed = widths.dropLast().reduce(0) { $0 + $1 + 2 }
        let last = all.map { $0.last?.count ?? 0 }.max() ?? 0
        if let width = terminal.width, fixed + last > width {
            guard width - fixed >= Table.narrowest else { return blocks(width, on: terminal) }
            return all.enumerated().flatMap { index, cells in
                let head = cells.dropLast().enumerated().map { Table.pad($1, to: widths[$0]) + "  " }.joined()
                let lines = Table.wrapped(cells.last ?? "", to: width - fixed)
                let shown = lines.enumerated().map { $0 == 0 ? head + $1 : String(repeating: " ", count: fixed) + $1 }
                return index == 0 ? shown.map { terminal.styled($0, .bold) } : shown
            }
        }
        return all.enumerated().map { index, cells in
            let line = cells.enumerated().map { column, cell in
                column == cells.count - 1 ? cell : Table.pad(cell, to: widths[column], cuts: terminal.width != nil)
            }.joined(separator: "  ")
            return index == 0 ? terminal.styled(line, .bold) : line
        }
    }

    private func blocks(_ width: Int, on terminal: Terminal) -> [String] {
        let indent = (titles.map(\.count).max() ?? 0) + 2
        return rows.enumerated().flatMap { index, cells in
            let lines = zip(titles, cells).filter { $1 != "-" }.flatMap { title, cell in
                Table.wrapped(cell, to: width - indent).enumerated().map { number, line in
                    let head = number == 0 ? title : ""
                    let padding = String(repeating: " ", count: indent - head.count)
                    return terminal.styled(head + padding, .faint) + line
                }
            }
            return (index == 0 ? [] : [""]) + lines
        }
    }

    func print(on terminal: Terminal, none: String? = nil) {
        if let none, rows.isEmpty { return terminal.print(none) }
        for line in lines(on: terminal) { terminal.print(line) }
    }

    private static func wrapped(_ text: String, to width: Int) -> [String] {
        let width = max(1, width)
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            var rest = Substring(word)
            if !line.isEmpty, line.count + 1 + rest.count <= width {
                line += " " + rest
                continue
            }
            if !line.isEmpty { lines.append(line) }
            while rest.count > width {
                lines.append(String(rest.prefix(width)))
                rest = rest.dropFirst(width)
            }
            line = String(rest)
        }
        lines.append(line)
        return lines
    }

    private static func pad(_ text: String, to width: Int, cuts: Bool = true) -> String {
        if cuts, text.count > width { return String(text.prefix(width - 1)) + "~" }
        return text + String(repeating: " ", count: max(0, width - text.count))
    }
}
