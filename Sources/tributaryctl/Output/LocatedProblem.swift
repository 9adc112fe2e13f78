import TributaryAdmin

/// A problem with a position in a text from the command line.
struct LocatedProblem: Error {
    let problem: ProblemDocument
    let text: String
    let position: Int

    /// Creates the problem; nil when the problem document has no position.
    init?(_ problem: ProblemDocument, in text: String) {
        guard let position = problem.position, position >= 0, position <= text.count else { return nil }
        self.problem = problem
        self.text = text
        self.position = position
    }

    /// Returns the text with a caret below the position; a long text is truncated around it.
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
