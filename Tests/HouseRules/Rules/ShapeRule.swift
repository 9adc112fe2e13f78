/// A count that every folder, type or function of the package keeps below a limit.
///
/// A list has the subjects above the limit, with their counts. The list may only shrink: an entry
/// whose subject has become smaller, or keeps the limit, is a violation too.
struct ShapeRule: HouseRule {
    /// The counted things, for messages: "Swift files".
    let unit: String
    let limit: Int
    let exceptions: [ShapeException]
    /// The subjects with their counts, each with the path of the file or folder where it is found first.
    let counts: @Sendable (SourceTree) -> [ShapeCount]

    /// A folder with more files has no single subject.
    static let folders = ShapeRule(unit: "Swift files", limit: 35, exceptions: [], counts: FolderSizes.counts)
    /// A type with more state than this has several reasons to change.
    static let storedProperties = ShapeRule(
        unit: "stored properties",
        limit: 12,
        exceptions: ShapeException.storedProperties,
        counts: StoredProperties.counts
    )
    /// A type that is extended in more files than this is not to be seen as a whole.
    static let typeSpread = ShapeRule(
        unit: "files",
        limit: 8,
        exceptions: ShapeException.typeSpread,
        counts: TypeSpread.counts
    )
    static let functions = ShapeRule(unit: "lines", limit: 70, exceptions: [], counts: FunctionLengths.counts)

    func violations(in tree: SourceTree) -> [Violation] {
        let counts = counts(tree)
        let listed = Dictionary(grouping: exceptions, by: \.subject)
        var found = counts.compactMap { count -> Violation? in
            let allowed = listed[count.subject]?.first?.count ?? limit
            guard count.value > allowed else { return nil }
            let bound = allowed == limit ? "the limit is \(limit)" : "the list of exceptions allows \(allowed)"
            return Violation(path: count.path, reason: "\(count.subject) has \(count.value) \(unit); \(bound)")
        }
        let values = Dictionary(counts.map { ($0.subject, $0.value) }) { first, _ in first }
        for exception in exceptions where values[exception.subject, default: 0] < exception.count {
            let value = values[exception.subject, default: 0]
            let advice = value > limit ? "lower its entry to \(value)" : "remove its entry"
            found.append(
                Violation(
                    path: "Tests/HouseRules/ShapeException.swift",
                    reason: "\(exception.subject) has \(value) \(unit) now: \(advice)"
                )
            )
        }
        return found
    }
}
