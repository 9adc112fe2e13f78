import TributaryChanges

/// The few templates that the lines of a segment are like, the last one first.
struct LineTemplates {
    /// Templates that are held at a time.
    private static let limit = 8
    /// Templates that are made before any has been of use: a log of ever new forms is not worth the trouble.
    private static let trials = 64

    private var templates: [LineTemplate] = []
    private var made = 0
    private var hits = 0

    /// Whether the line is valid because it is like one of the templates; false says nothing.
    @inline(__always)
    mutating func covers(_ line: UnsafeBufferPointer<UInt8>, _ scanner: inout JSONScanner) -> Bool {
        for index in templates.indices where templates[index].covers(line, &scanner) {
            hits += 1
            if index > 0 { templates.swapAt(index, 0) }
            return true
        }
        return false
    }

    /// The template that the line is like.
    mutating func template(
        of line: UnsafeBufferPointer<UInt8>,
        _ scanner: inout JSONScanner
    ) -> LineTemplate? {
        covers(line, &scanner) ? templates.first : nil
    }

    /// Learns from a line that is valid and was like none; false when it cannot be a template.
    mutating func learn(_ line: UnsafeBufferPointer<UInt8>, _ scanner: inout JSONScanner) -> Bool {
        guard made < LineTemplates.trials + hits / 16 else { return false }
        made += 1
        guard let template = LineTemplate(line, scanner: &scanner) else { return false }
        if templates.count == LineTemplates.limit { templates.removeLast() }
        templates.insert(template, at: 0)
        return true
    }
}
