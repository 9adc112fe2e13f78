import TestSupport
import Testing
import TributaryChanges
import TributaryModel

@Suite("Predicates: random texts and trees")
struct PredicateFuzzTests {
    private static let pieces = [
        "a", "b.c", "#in", "SELF", "@count", ".", "==", "!=", "<", "=>", "&&", "||", "!", "AND", "OR", "NOT", "ANY",
        "ALL",
        "IN", "BETWEEN", "LIKE", "CONTAINS", "[cd]", "[", "]", "(", ")", "{", "}", ",", "1", "-2.5", "1e9", "'x'",
        "\"y\"",
        "'", "\\", "%@", "%K", "%", "$v", "$", "TRUE", "NULL", "TRUEPREDICATE", "é", "\u{301}", "😀", "\u{0}", "\n",
        "\r\n",
    ]

    @Test func noTextCrashesAndWhatIsReadIsReadAgain() throws {
        var generator = SeededGenerator.printingSeed()
        var accepted = 0
        for _ in 0..<30_000 {
            let count = Int.random(in: 1...14, using: &generator)
            let words = (0..<count).map { _ in PredicateFuzzTests.pieces.randomElement(using: &generator) ?? "" }
            let text = words.joined(separator: Bool.random(using: &generator) ? " " : "")
            do {
                let predicate = try ObjectPredicate(parsing: text, arguments: [])
                accepted += 1
                #expect(try ObjectPredicate(parsing: predicate.description) == predicate, "\(text)")
            } catch {
                #expect((0...text.count).contains(error.position ?? -1), "\(text): \(error)")
            }
        }
        #expect(accepted > 0)
    }

    @Test func everyTreeIsReadBackFromItsDescription() throws {
        var generator = SeededGenerator.printingSeed()
        for _ in 0..<5_000 {
            let predicate = tree(depth: 4, using: &generator)
            let text = predicate.description
            #expect(try ObjectPredicate(parsing: text) == predicate, "\(text)")
        }
    }

    /// A text that ``mutilatedTexts()`` has found.
    @Test func anAggregateOfSelfIsPrintedAsItIsRead() throws {
        let predicate = try ObjectPredicate(parsing: "SELF.@count > TRUE")
        #expect(try ObjectPredicate(parsing: predicate.description) == predicate, "\(predicate)")
    }

    /// Removes, repeats and swaps characters of a valid text: parsing returns a predicate, which its description gives
    /// again, or throws an error.
    @Test func mutilatedTexts() {
        var generator = SeededGenerator.printingSeed()
        var (accepted, refused) = (0, 0)
        for _ in LongProofs.rounds(2_000) {
            var characters = Array(tree(depth: 3, using: &generator).description)
            for _ in 0..<Int.random(in: 1...4, using: &generator) where !characters.isEmpty {
                let index = Int.random(in: 0..<characters.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: characters.remove(at: index)
                case 1: characters.insert(characters[index], at: index)
                default: characters.swapAt(index, characters.count - 1)
                }
            }
            do {
                let predicate = try ObjectPredicate(parsing: String(characters))
                accepted += 1
                let again = Result { () throws(ObjectPredicateError) in
                    try ObjectPredicate(parsing: predicate.description)
                }
                #expect(again == .success(predicate), "\(String(characters))")
            } catch {
                refused += 1
            }
        }
        #expect(accepted > 100 && refused > 100, "\(accepted) texts were accepted, \(refused) refused")
    }

    private func tree(depth: Int, using generator: inout SeededGenerator) -> ObjectPredicate {
        switch depth == 0 ? 5 : Int.random(in: 0..<8, using: &generator) {
        case 0: return .always(Bool.random(using: &generator))
        case 1: return .and(trees(depth: depth, using: &generator))
        case 2: return .or(trees(depth: depth, using: &generator))
        case 3: return .not(tree(depth: depth - 1, using: &generator))
        default:
            let operation = ObjectPredicate.Operator.allCases.randomElement(using: &generator) ?? .equal
            let right: ObjectPredicate.Expression =
                switch operation {
                case .isIn: list(count: Int.random(in: 0...3, using: &generator), using: &generator)
                case .between: list(count: 2, using: &generator)
                default: operand(using: &generator)
                }
            return .comparison(
                ObjectPredicate.Comparison(
                    operand(using: &generator),
                    operation,
                    right,
                    caseInsensitive: Bool.random(using: &generator),
                    diacriticInsensitive: Bool.random(using: &generator),
                    quantifier: ObjectPredicate.Quantifier.allCases.randomElement(using: &generator) ?? .direct
                )
            )
        }
    }

    private func trees(depth: Int, using generator: inout SeededGenerator) -> [ObjectPredicate] {
        (0..<Int.random(in: 2...4, using: &generator)).map { _ in tree(depth: depth - 1, using: &generator) }
    }

    private func list(count: Int, using generator: inout SeededGenerator) -> ObjectPredicate.Expression {
        .list((0..<count).map { _ in operand(using: &generator) })
    }

    private func operand(using generator: inout SeededGenerator) -> ObjectPredicate.Expression {
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: return .constant(.integer(Int64.random(in: .min ... .max, using: &generator)))
        case 1:
            let value = Double(bitPattern: generator.next())
            return .constant(.double(value.isFinite ? value : 0.1))
        case 2: return .constant(.boolean(Bool.random(using: &generator)))
        case 3: return .constant(.null)
        case 4: return .variable("v\(Int.random(in: 0..<3, using: &generator))")
        case 5:
            let scalars = "a'\"\\\n\r\t é😀%$*\u{0}".unicodeScalars
            let text = (0..<Int.random(in: 0...6, using: &generator)).map { _ in
                scalars.randomElement(using: &generator) ?? "a"
            }
            return .constant(.string(String(String.UnicodeScalarView(text))))
        default:
            let names = ["a", "order", "größe", "like", "SELF", "true", "in", "_x1", "not"]
            let path = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
                names.randomElement(using: &generator) ?? "a"
            }
            return .keyPath(path + (!path.isEmpty && Bool.random(using: &generator) ? ["@count"] : []))
        }
    }
}
