/// Deliberate faults are in builds for them only: each place asks `Mutation` inside `#if MUTATIONS`, and does nothing else.
struct MutationRule: HouseRule {
    func violations(in tree: SourceTree) -> [Violation] {
        tree.swiftFiles.filter { $0.path.hasPrefix("Sources/") && $0.name != "Mutation.swift" }.flatMap { file in
            var found: [Violation] = []
            // The line of the open condition, and whether its part asks for a fault.
            var open: (line: Int, asks: Bool)?
            for (index, line) in file.codeLines.enumerated() {
                let line = line.drop { $0 == " " }
                if line.hasPrefix("#if MUTATIONS") {
                    open = (index + 1, false)
                } else if line.hasPrefix("#endif"), let closed = open {
                    open = nil
                    guard !closed.asks else { continue }
                    let reason = "has code for deliberate faults that asks for none"
                    found.append(Violation(path: file.path, line: closed.line, reason: reason))
                } else if line.contains("Mutation.isOn("), open == nil {
                    let reason = "asks for a deliberate fault outside #if MUTATIONS"
                    found.append(Violation(path: file.path, line: index + 1, reason: reason))
                } else if line.contains("Mutation.isOn(") || line == "import TributaryChanges" {
                    open?.asks = true
                }
            }
            return found
        }
    }
}
