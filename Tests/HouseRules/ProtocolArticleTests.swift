import TestSupport
import Testing

/// The protocol article leads to every step, invariant and fault of the models.
@Suite struct ProtocolArticleTests {
    /// The models by the section of the article that has their statements.
    static let models = [
        "The export": "export", "The import": "planner", "Acknowledging and pruning": "prune",
    ]

    @Test func eachStepIsInTheModel() throws {
        for (heading, model) in Self.models {
            let steps = Self.steps(in: try Self.text(model))
            let named = Set(try Article("Protocol").rows(under: heading).flatMap { $0[1].code })
            #expect(named == steps, "\(model)")
            #expect(steps.count >= 10)
        }
    }

    @Test func theInvariantsAreThoseOfTheModels() throws {
        let rows = try Article("Protocol").rows(under: "Invariants")
        for model in Self.models.values {
            let named = rows.filter { $0[1] == "`\(model).pml`" }.flatMap { $0[0].code }
            let text = try Self.text(model)
            #expect(Set(named) == Self.invariants(in: text), "\(model)")
            for name in named { #expect(text.contains("assert(\(name) || "), "\(model) does not assert \(name)") }
        }
        #expect(rows.count >= 11)
    }

    /// Each fault is in its model, and is found by the invariants that the article names; each invariant finds one.
    @Test func theFaultsAreThoseThatAreFound() throws {
        let runs = Set(
            try Article.text(of: "Tests/Protocol/check.sh").split(separator: "\n")
                .filter { $0.hasPrefix("verify ") && !$0.hasPrefix("verify holds ") }.flatMap(Self.faults)
        )
        let rows = try Article("Protocol").rows(under: "Deliberate faults")
        let named = rows.flatMap { row in
            row[3].code.map { "\(row[0].dropFirst().dropLast()) \(row[1].dropFirst().dropLast(5)) \($0)" }
        }
        #expect(Set(named) == runs)
        let invariants = try Self.models.values.flatMap { Self.invariants(in: try Self.text($0)) }
        #expect(Set(rows.flatMap { $0[3].code }) == Set(invariants))
        for model in Self.models.values {
            let macros = try Self.text(model).matches(of: /#ifn?def (BUG_\w+)/).map { String($0.1) }
            let faults = rows.filter { $0[1] == "`\(model).pml`" }.flatMap { $0[0].code }
            #expect(Set(faults) == Set(macros), "\(model)")
        }
    }

    @Test func theChecksAreAStageOfTheirOwn() throws {
        #expect(try Article.text(of: ".ci/run").contains("\nbeside \"protocol models\" Tests/Protocol/check.sh\n"))
    }

    @Test func aWrongSampleIsFound() {
        let model = "hidden byte first; /* 1 */\ninline step(m) {\n}\nactive [2] proctype Peer() {\nhidden byte s;\n"
        #expect(Self.steps(in: model) == ["step", "Peer"])
        #expect(Self.invariants(in: model) == ["first"])
        #expect(Self.faults("verify a m CLONE BUG_B") == ["BUG_B m a"])
        #expect("no code, `one`, `two`".code == ["one", "two"])
    }

    private static func text(_ model: String) throws -> String {
        try Article.text(of: "Tests/Protocol/\(model).pml")
    }

    private static func steps(in text: String) -> Set<String> {
        Set(text.matches(of: /(?:inline|proctype) (\w+)\(/).map { String($0.1) })
    }

    /// The invariants of a model, each declared with the comment that says it.
    private static func invariants(in text: String) -> Set<String> {
        Set(text.matches(of: /hidden byte (\w+); +\/\*/).map { String($0.1) })
    }

    /// `fault model invariant` for the fault that a run of the models is about.
    private static func faults(_ run: Substring) -> [String] {
        let words = run.split(separator: " ").map(String.init)
        guard words.count > 2 else { return [] }
        return words.filter { $0.hasPrefix("BUG_") }.map { "\($0) \(words[2]) \(words[1])" }
    }
}
