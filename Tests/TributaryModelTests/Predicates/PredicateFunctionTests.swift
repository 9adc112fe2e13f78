import Testing
import TributaryChanges

@testable import TributaryModel

@Suite("Functions of predicates")
struct PredicateFunctionTests {
    private typealias Function = ObjectPredicate.Function

    private static let samples: [[PropertyValue]] = [
        [.integer(9)], [.double(2.5)], [.decimal("1.5")], [.string("Éa")], [.string("2026-11-21")],
        [.integer(7), .integer(2)], [.decimal("1.5"), .decimal("2")],
    ]

    @Test("has a result for every function but now()", arguments: ObjectPredicate.Function.allCases)
    func computesEach(_ function: ObjectPredicate.Function) {
        let fitting = Self.samples.filter { arguments in
            arguments.count == function.argumentCount && function.kind(of: arguments.map(\.kind)) != nil
        }
        #expect(fitting.isEmpty == (function == .now))
        let results = fitting.map { function.value(of: $0) }
        #expect(results.contains { !$0.isNull } != (function == .now))
    }

    @Test("has no result for another number of arguments", arguments: ObjectPredicate.Function.allCases)
    func wrongCount(_ function: ObjectPredicate.Function) {
        for arguments in Self.samples + [[]] where arguments.count != function.argumentCount {
            #expect(function.value(of: arguments).isNull)
        }
    }

    @Test("folds the case of each scalar as the Unicode mapping does")
    func casesOfScalars() {
        for number in 0..<UInt32(0x11_0000) {
            guard let scalar = Unicode.Scalar(number) else { continue }
            let text = PropertyValue.string("a" + String(scalar))
            let lower = Function.lowercase.value(of: [text]) == .string("a" + scalar.properties.lowercaseMapping)
            let upper = Function.uppercase.value(of: [text]) == .string("A" + scalar.properties.uppercaseMapping)
            if !lower || !upper { Issue.record("U+\(String(number, radix: 16))") }
        }
    }

    @Test("computes what key paths with a suffix derive")
    func derivations() {
        let text = PropertyValue.string("ÉÀb")
        #expect(TextDerivation.length.value(of: text) == .integer(3))
        #expect(TextDerivation.caseInsensitive.value(of: text) == .string("éàb"))
        let ordered = ["a07", "a8", "a0010"].map { TextDerivation.localizedStandard.value(of: .string($0)).text ?? "" }
        #expect(ordered == ordered.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        #expect(ObjectPredicate.Function.canonical.value(of: [text]) == .string("eab"))
        #expect(ObjectPredicate.Function.length.value(of: [.uri("a:é")]) == .integer(3))
    }
}
