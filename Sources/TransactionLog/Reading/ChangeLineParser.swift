import TributaryChanges

/// Keeps templates of recent lines, the most recent first: without them an import takes 55 % more instructions.
struct ChangeLineParser {
    private static let templateLimit = 8
    /// After so many templates without a match no more are made: the lines have too many forms.
    private static let trials = 64

    private var scanner = JSONScanner(depthLimit: JSONParser.logDepth)
    private var templates: [LineTemplate] = []
    private var made = 0
    private var hits = 0

    /// Returns true for a deletion.
    mutating func validate(_ line: UnsafeBufferPointer<UInt8>) throws(JSONError) -> Bool {
        scanner.begin(line)
        return try ChangeLine(&scanner, builds: false).isDeletion
    }

    mutating func change(_ line: UnsafeBufferPointer<UInt8>) throws(JSONError) -> Change {
        scanner.begin(line)
        return try ChangeLine(&scanner, builds: true).change(names: &scanner)
    }

    /// True for a valid line that matches a template; otherwise the whole line must be parsed.
    @inline(__always)
    mutating func covers(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        for index in templates.indices where templates[index].covers(line, &scanner) {
            hits += 1
            if index > 0 { templates.swapAt(index, 0) }
            return true
        }
        return false
    }

    mutating func template(of line: UnsafeBufferPointer<UInt8>) -> LineTemplate? {
        covers(line) ? templates.first : nil
    }

    @inline(__always)
    mutating func append(_ line: UnsafeBufferPointer<UInt8>, matching template: LineTemplate, to run: RowRun) -> Bool {
        template.append(line, to: run, &scanner)
    }

    /// Makes a template of a valid line that matched none; false when the line cannot be a template.
    mutating func learn(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        guard made < ChangeLineParser.trials + hits / 16 else { return false }
        made += 1
        guard let template = LineTemplate(line, scanner: &scanner) else { return false }
        if templates.count == ChangeLineParser.templateLimit { templates.removeLast() }
        templates.insert(template, at: 0)
        return true
    }
}
