package struct Divergence: Error, CustomStringConvertible {
    package var description: String

    init(_ description: String) { self.description = description }

    static func demandEqual(_ wanted: [String], _ found: [String], _ title: @autoclosure () -> String) throws {
        guard wanted != found else { return }
        let missing = wanted.filter { !found.contains($0) }.map { "- \($0)" }
        let extra = found.filter { !wanted.contains($0) }.map { "+ \($0)" }
        throw Divergence(([title()] + missing + extra).joined(separator: "\n"))
    }

    static func demandEqual(_ wanted: String, _ found: String, _ title: @autoclosure () -> String) throws {
        guard wanted != found else { return }
        try demandEqual(
            wanted.split(separator: "\n").map(String.init),
            found.split(separator: "\n").map(String.init),
            title()
        )
    }
}
