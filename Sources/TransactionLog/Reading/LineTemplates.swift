import TributaryChanges

/// The templates of recent lines of a segment, the most recently used first.
///
/// Without them an import takes 55 % more instructions.
struct LineTemplates {
    private static let limit = 8
    /// The number of templates after which none are made if none has matched: each line then has a form of its own.
    private static let trials = 64

    private var templates: [LineTemplate] = []
    private var made = 0
    private var hits = 0

    /// Whether the line matches a template and is therefore valid; after false the whole line has to be parsed.
    @inline(__always)
    mutating func covers(_ line: UnsafeBufferPointer<UInt8>, _ scanner: inout JSONScanner) -> Bool {
        for index in templates.indices where templates[index].covers(line, &scanner) {
            hits += 1
            if index > 0 { templates.swapAt(index, 0) }
            return true
        }
        return false
    }

    mutating func template(
        of line: UnsafeBufferPointer<UInt8>,
        _ scanner: inout JSONScanner
    ) -> LineTemplate? {
        covers(line, &scanner) ? templates.first : nil
    }

    /// Makes a template of a valid line that matched none; false when the line cannot be a template.
    mutating func learn(_ line: UnsafeBufferPointer<UInt8>, _ scanner: inout JSONScanner) -> Bool {
        guard made < LineTemplates.trials + hits / 16 else { return false }
        made += 1
        guard let template = LineTemplate(line, scanner: &scanner) else { return false }
        if templates.count == LineTemplates.limit { templates.removeLast() }
        templates.insert(template, at: 0)
        return true
    }
}
