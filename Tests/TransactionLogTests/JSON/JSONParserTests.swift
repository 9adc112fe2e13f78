import Testing
import TransactionLog
import TributaryChanges

@Suite struct JSONParserTests {
    @Test(arguments: [
        ("null", JSONValue.null), ("true", .boolean(true)), (" [ ] ", .array([])), ("{}", .object([])),
        ("0", .integer(0)), ("-0", .integer(0)), ("-7", .integer(-7)), ("9223372036854775807", .integer(.max)),
        ("-9223372036854775808", .integer(.min)), ("9223372036854775808", .unrepresentable("9223372036854775808")),
        ("-9223372036854775809", .unrepresentable("-9223372036854775809")),
        ("123456789012345678901234567890", .unrepresentable("123456789012345678901234567890")),
        ("1e999", .unrepresentable("1e999")), ("-1.5E+400", .unrepresentable("-1.5E+400")),
        ("1.5", .double(1.5)), ("-0.0", .double(-0.0)), ("1e0", .double(1)), ("1E-7", .double(1e-7)),
        ("0.1", .double(0.1)), ("1200.5", .double(1200.5)), ("5e-324", .double(.leastNonzeroMagnitude)),
        ("1.7976931348623157e308", .double(.greatestFiniteMagnitude)),
        ("123456789012345678.5", .double(123456789012345678.5)),
        ("2.2250738585072014e-308", .double(.leastNormalMagnitude)),
        ("9007199254740993.0", .double(9007199254740993.0)),
        ("\"\"", .string("")), ("\"a\\u00e9\\n\\/\"", .string("aé\n/")), ("\"\\ud83d\\ude00\"", .string("😀")),
        ("\"\\u0000\"", .string("\0")), ("\"😀é\"", .string("😀é")),
        // Half a surrogate pair is no character: the text stays, in one form for all spellings.
        ("\"\\uD83D\"", .unrepresentable("\"\\ud83d\"")), ("\"\\udc00\"", .unrepresentable("\"\\udc00\"")),
        ("\"a\\u0041\\ud800\\u0041\\n\"", .unrepresentable("\"aA\\ud800A\\n\"")),
        ("\"\\ud83d\\ud83d\\ude00é\"", .unrepresentable("\"\\ud83d😀é\"")),
        (
            "{\"a\":[\"\\ude00\\ud83d\"]}",
            .object([.init(key: "a", value: .array([.unrepresentable("\"\\ude00\\ud83d\"")]))])
        ),
        (
            "[1,[2,{\"a\":null}]]",
            .array([.integer(1), .array([.integer(2), .object([.init(key: "a", value: .null)])])])
        ),
    ])
    func reads(_ text: String, _ expected: JSONValue) throws {
        #expect(try JSONParser.parse(text) == expected)
    }

    @Test(arguments: [
        "", " ", "nul", "nulll", "True", "NaN", "Infinity", "-Infinity", "+1", "01", "-", "-a", "1.", ".5", "1e", "1e+",
        "0x1",
        "1 2", "[1,]", "[,1]", "[1 2]", "[", "{", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{,}", "{a:1}", "{'a':1}",
        "\"", "\"a", "\"\\", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "{\"\\ud800\":1}", "{\"a\\udc00\":1}",
        "\"\\ud800\\u004\"",
        "\"\t\"", "\"\u{1}\"", "\u{FEFF}1", "// c\n1", "{\"a\":1,\"a\":2}", "{\"a\":1,\"\\u0061\":2}",
        "[[[[[[[[[1]]]]]]]]]",
        "{\"a\":{\"b\":1,\"b\":1}}",
    ])
    func refuses(_ text: String) {
        #expect(throws: JSONError.self) { try JSONParser.parse(text) }
    }

    @Test(
        arguments: [
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0x80],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98],
            [0xC3, 0x28],
            [0xE2, 0x28, 0xA1], [0xE2, 0x82, 0x28],
        ] as [[UInt8]]
    )
    func refusesBytesThatAreNotUTF8(_ bytes: [UInt8]) {
        let text = [0x22] + bytes + [0x22]
        let error = #expect(throws: JSONError.self) { try JSONParser.parse(text) }
        #expect(error?.reason == "the bytes are not UTF-8")
    }

    @Test func everyScalarIsReadAsItIs() throws {
        for value in stride(from: UInt32(0x20), through: 0x10FFFF, by: 61) {
            guard let scalar = Unicode.Scalar(value), scalar != "\"", scalar != "\\" else { continue }
            let text = String(Character(scalar))
            #expect(try JSONParser.parse("\"\(text)\"") == .string(text))
        }
    }

    @Test func keysThatDifferOnlyInUnicodeFormAreTwoKeys() throws {
        let value = try JSONParser.parse("{\"\u{E9}\":1,\"e\u{301}\":2}")
        guard case .object(let members) = value else { throw JSONError("no object") }
        #expect(members.count == 2)
    }

    @Test func aKeyThatRepeatsAmongManyIsFound() {
        let members = (0..<100).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
        #expect(throws: Never.self) { try JSONParser.parse("{\(members)}") }
        let error = #expect(throws: JSONError.self) { try JSONParser.parse("{\(members),\"k57\":1}") }
        #expect(error?.reason == "the key 'k57' occurs twice")
    }

    @Test func theDepthIsBounded() throws {
        #expect(throws: Never.self) { try JSONParser.parse("[[[[[[[[1]]]]]]]]") }
        let deep = String(repeating: "[", count: 100_000)
        #expect(throws: JSONError.self) { try JSONParser.parse(deep) }
        let error = #expect(throws: JSONError.self) { try JSONParser.parse("[[[1]]]", depthLimit: 2) }
        #expect(error?.offset == 2)
    }

    @Test func anErrorTellsWhere() {
        let error = #expect(throws: JSONError.self) { try JSONParser.parse("{\"a\": NaN}") }
        #expect(error?.description == "'N' was found where a value is expected (byte 7)")
    }
}
