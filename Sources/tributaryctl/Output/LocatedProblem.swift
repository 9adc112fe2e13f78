import TributaryAdmin

/// A problem with a place in a text that came from the command line.
struct LocatedProblem: Error {
    let problem: ProblemDocument
    let text: String
    /// Characters before the place.
    let position: Int

    /// Nil when the problem has no place.
    init?(_ problem: ProblemDocument, in text: String) {
        guard let position = problem.position, position >= 0, position <= text.count else { return nil }
        self.problem = problem
        self.text = text
        self.position = position
    }

    /// The text with a caret below the place; of a long text what is around it.
    func lines(width: Int?) -> [String] {
        let room = max(20, (width ?? 80) - 6)
        let start = max(0, position - room / 2)
        let shown = text.dropFirst(start).prefix(room)
        let before = EscapedText.escape(String(shown.prefix(position - start)))
        let after = EscapedText.escape(String(shown.dropFirst(position - start)))
        let (head, tail) = (start > 0 ? "…" : "", text.count > start + room ? "…" : "")
        let indent = String(repeating: " ", count: head.count + before.count)
        return ["  " + head + before + after + tail, "  " + indent + "^"]
    }
}
