/// Allows the options of every command before its name as well: `tributaryctl --socket PATH reload`.
enum LeadingOptions {
    private static let withValue: Set<String> = ["--socket", "--instance", "--timeout"]
    private static let flags: Set<String> = ["--json"]

    /// Returns the arguments with such options moved after the command and its arguments.
    static func movedBehindCommand(_ arguments: [String]) -> [String] {
        var rest = arguments[...]
        var options: [String] = []
        while let first = rest.first {
            if flags.contains(first) || withValue.contains(where: { first.hasPrefix($0 + "=") }) {
                options.append(rest.removeFirst())
            } else if withValue.contains(first), rest.count > 1 {
                options += rest.prefix(2)
                rest.removeFirst(2)
            } else {
                break
            }
        }
        guard !rest.isEmpty else { return arguments }
        // Arguments after `--` are no options.
        let end = rest.firstIndex(of: "--") ?? rest.endIndex
        return rest[..<end] + options + rest[end...]
    }
}
