import TestSupport
import Testing
import TransactionLog
import TributaryChanges
import TributaryModel

/// The JSON readers of segments and of stores accept equal texts and return equal values.
@Suite struct JSONAgreementTests {
    private func agrees(_ text: String, _ location: SourceLocation = #_sourceLocation) {
        let (segment, store) = (try? JSONParser.parse(text), JSONValue(text: text))
        #expect(segment == store, "\(text)", sourceLocation: location)
        // Equal strings may still differ in their scalars.
        #expect(segment.map { Array($0.text.utf8) } == store.map { Array($0.text.utf8) }, sourceLocation: location)
    }

    @Test(arguments: [
        ("caf\u{E9}", "cafe\u{301}"), ("K", "\u{212A}"), (";", "\u{37E}"), ("a\u{323}\u{307}", "a\u{307}\u{323}"),
        ("\u{AC00}", "\u{1100}\u{1161}"),
    ])
    func `keys with other scalars are other keys`(_ one: String, _ other: String) throws {
        #expect(one == other, "Swift takes them for equal")
        let text = #"{"\#(one)":1,"\#(other)":2}"#
        let expected = JSONValue.object([.init(key: one, value: .integer(1)), .init(key: other, value: .integer(2))])
        #expect(try JSONParser.parse(text) == expected)
        #expect(JSONValue(text: text) == expected)
        #expect(expected[one] == .integer(1) && expected[other] == .integer(2))
        agrees(text)
        for many in 3...40 {
            let members = (3...many).map { #""\#($0)":0"# }.joined(separator: ",")
            agrees(#"{"\#(one)":1,\#(members),"\#(other)":2}"#)
            agrees(#"{"\#(one)":1,\#(members),"\#(one)":2}"#)
        }
    }

    @Test(arguments: [
        #"{"a":1,"a":2}"#, #"{"a":1,"\u0061":2}"#, #"{"\u00e9":1,"é":2}"#, #"[{"a":{"b":1,"b":2}}]"#,
        #"{"a":[1,{"c":1,"b":2,"c":3}]}"#,
    ])
    func `a key that comes twice is refused`(_ text: String) {
        #expect(throws: JSONError.self) { try JSONParser.parse(text) }
        #expect(JSONValue(text: text) == nil)
    }

    @Test func `both read eight levels`() {
        for depth in 1...10 {
            for inner in ["", "1", #""a""#] {
                agrees(String(repeating: "[", count: depth) + inner + String(repeating: "]", count: depth))
                let open = String(repeating: #"{"a":"#, count: depth)
                agrees(open + (inner.isEmpty ? "{}" : inner) + String(repeating: "}", count: depth))
            }
        }
    }

    @Test func `random texts are the same to both, or to neither`() {
        var random = SeededGenerator.fromEnvironment()
        print("TRIBUTARY_SEED=\(random.seed)")
        let pieces = [
            "{", "}", "[", "]", ",", ":", " ", "\n", "true", "null", "0", "-1", "1.5", "1e3", "-", "01", "1e999",
            "9223372036854775808", #""a""#, #""\u00e9""#, #""é""#, "\"e\u{301}\"", #""\ud83d\ude00""#, #""\ud800""#,
            #""\u0000""#, "\"\t\"", #""K""#, "\"\u{212A}\"", #"{"a":1"#, #","a":2}"#, #"{"é":"#, ",\"e\u{301}\":",
        ]
        for _ in LongProofs.rounds(3_000) {
            let count = Int.random(in: 1...12, using: &random)
            agrees((0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined())
        }
    }
}
