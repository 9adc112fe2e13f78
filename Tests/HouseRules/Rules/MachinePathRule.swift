/// Nothing depends on where one developer's files happen to lie.
struct MachinePathRule: HouseRule {
    /// In two halves, so that this file does not break its own rule.
    static let places = [
        "/wo" + "rk/", "/tmp/" + "ws", "/tmp/" + "w/", "/tmp/" + "hub", "/ho" + "me/", "/Us" + "ers/",
        "/opt/" + "swift",
    ]

    func violations(in tree: SourceTree) -> [Violation] {
        tree.files.flatMap { file in
            file.violations(in: file.lines) { line in
                Self.places.first(where: line.has).map { "names \($0), a place on one machine" }
            }
        }
    }
}
