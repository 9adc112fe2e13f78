import TestSupport
import Testing
import TransactionLog
import TributaryChanges
import TributaryModel

/// The JSON readers of segments and of stores accept and refuse the same texts, and return equal values.
@Suite struct JSONVerdictTests {
    /// Texts that are JSON, and texts that are none.
    private static let corpus: [(accepted: [String], refused: [String])] = [
        // Keys.
        (
            [
                "{}", #"{"":0}"#, #"{"a":1,"A":2}"#, #"{"a":{"a":1}}"#, #"[{"a":1},{"a":2}]"#, #"{"\n":1,"n":2}"#,
                #"{"a\u0000":1,"a":2}"#,
            ],
            [
                #"{"a":1,"a":1}"#, #"{"a":1,"b":2,"a":3}"#, #"{"":0,"":1}"#, #"{"\/":1,"/":2}"#,
                #"{"\ud83d\ude00":1,"😀":2}"#, #"{"a\u0000":1,"a\u0000":2}"#, #"{"a":1,}"#, #"{,"a":1}"#, #"{"a"}"#,
                #"{"a":1,"\u0061":2}"#, #"{"\u00e9":1,"é":2}"#, #"[{"a":{"b":1,"b":2}}]"#,
                #"{"a":[1,{"c":1,"b":2,"c":3}]}"#, #"{"a" 1}"#, "{1:2}", "{a:1}", #"{"a":}"#, #"{"a":1"#,
                #"{"a":1 "b":2}"#, #"{"a"::1}"#,
            ]
        ),
        // Strings.
        (
            [
                #""""#, #""\"\\\/\b\f\n\r\t""#, #""\u0000\u001F\u007f\uFFFF""#, #""\uD834\uDD1E""#, "\"\u{7F}\"",
                "\"\u{10FFFF}\"", #""\u00e9\u0065\u0301""#, "\"12345678\u{E9}\"", "\"1234567\\n\"",
                #""\uD800""#, #""\uDC00""#, #""\uD800\uD800""#, #""\uDC00\uD800""#, #""\uD800\n\u0041é""#,
            ],
            [
                #"""#, #""\""#, #""\x41""#, #""\u12""#, #""\u12G4""#, #"{"\uD800":1}"#, #"{"\uDC00":1}"#,
                #""\uD800\u12""#, #""\uD800"#, #""\U0041""#, "\"\n\"", "\"\u{1F}\"", "'a'", #""a"b"#, "\"\\",
            ]
        ),
        // Numbers.
        (
            [
                "0", "-0", "-0.0", "0e0", "1E+2", "1e-2", "9223372036854775807", "-9223372036854775808",
                "9223372036854775808", "-9223372036854775809", "123456789012345678901234567890", "0.1", "1.5e300",
                "4.9e-324", "1e-999", "1e309", "1718900000.123456789", "1718900000.000000000000001", "1e99999999999999",
                "0.30000000000000004", "179769313486231570000000000000000000000e270", "2.2250738585072011e-308",
            ],
            ["+1", "01", "-01", ".5", "1.", "1.e1", "1e", "1e+", "-", "--1", "1_000", "0x10", "Infinity", "NaN", "1 2"]
        ),
        // Words, arrays and white space.
        (
            [
                "true", "false", "null", " \t\r\n[ ] ", "[[],{}]", "[true,false,null]", "\t1\n",
                String(repeating: "[", count: 8) + String(repeating: "]", count: 8),
            ],
            [
                "", " ", "True", "tru", "truee", "nul", "[1,]", "[,1]", "[1 2]", "[1", "]", "[}", "1,", "// a\n1",
                "\u{A0}1",
                "\u{FEFF}1", "\u{B}1", "null null",
                String(repeating: "[", count: 9) + String(repeating: "]", count: 9),
            ]
        ),
    ]

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

    @Test func bothAcceptAndRefuseTheTextsOfTheCorpus() {
        for (accepted, refused) in Self.corpus {
            for text in accepted {
                #expect((try? JSONParser.parse(text)) != nil, "\(text)")
                agrees(text)
            }
            for text in refused {
                #expect((try? JSONParser.parse(text)) == nil && JSONValue(text: text) == nil, "\(text)")
            }
        }
    }

    @Test func bytesThatAreNoTextAreRefusedByTheScannerAndCannotReachTheParser() {
        let faults: [[UInt8]] = [
            [0x80], [0xC0, 0xAF], [0xC1, 0xBF], [0xC3], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82],
            [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF],
        ]
        for fault in faults {
            for bytes in [[0x22] + fault + [0x22], Array("{\"".utf8) + fault + Array("\":1}".utf8)] {
                #expect(throws: JSONError.self) { try JSONParser.parse(bytes) }
                // The parser reads a `String`, which has no such bytes.
                #expect(String(validating: bytes, as: UTF8.self) == nil)
            }
        }
    }

    @Test func aCutOrChangedTextHasTheSameVerdict() {
        var random = SeededGenerator.printingSeed()
        let texts = Self.corpus.flatMap(\.accepted)
        for _ in LongProofs.rounds(3_000) {
            var bytes = Array((texts.randomElement(using: &random) ?? "").utf8)
            for _ in 0..<Int.random(in: 1...2, using: &random) where !bytes.isEmpty {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes.remove(at: index)
                case 1: bytes[index] = UInt8.random(in: 0...0x7F, using: &random)
                default: bytes.insert(UInt8.random(in: 0...0xFF, using: &random), at: index)
                }
            }
            guard let text = String(validating: bytes, as: UTF8.self) else {
                #expect(throws: JSONError.self) { try JSONParser.parse(bytes) }
                continue
            }
            #expect((try? JSONParser.parse(bytes)) == JSONValue(text: text), "\(text)")
        }
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
        var random = SeededGenerator.printingSeed()
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
