import Testing
import TributaryChanges
import TributaryModel

@Suite("Attribute values and the log's JSON")
struct AttributeCodingTests {
    private static let id = UniqueID(high: 0x0190_f1a2_0000_7000, low: 0x8000_0000_0000_0001)

    /// JSON values and the values of an attribute type; nil is a value that the store defers.
    static let cases: [(AttributeType, JSONValue, PropertyValue?)] = [
        (.integer16, .integer(32767), .integer(32767)), (.integer16, .integer(32768), nil),
        (.integer16, .integer(-32768), .integer(-32768)), (.integer32, .integer(-2_147_483_649), nil),
        (.integer32, .integer(2_147_483_647), .integer(2_147_483_647)),
        (.integer64, .integer(.max), .integer(.max)), (.integer64, .double(5), nil),
        (.integer64, .string("5"), nil), (.integer64, .unrepresentable("9223372036854775808"), nil),
        (.integer64, .boolean(true), nil),
        (.double, .integer(5), .double(5)), (.double, .double(-0.0), .double(0)), (.double, .string("1"), nil),
        (.double, .double(.infinity), nil), (.float, .double(1e39), nil), (.float, .double(0.1), .double(0.1)),
        // The shortest text of the largest Float, and its neighbours on the way to infinity.
        (.float, .double(3.4028235e38), .double(3.4028235e38)),
        (.float, .double(-3.4028235e38), .double(-3.4028235e38)),
        (.float, .double(3.4028236e38), nil), (.float, .double(3.4028235677973366e38), nil),
        // JavaScript writes doubles from 2^63 to 10^21 without a point.
        (.double, .unrepresentable("10000000000000000000"), .double(1e19)),
        (.double, .unrepresentable("-9223372036854775809"), .double(-0x1p63)),
        (.float, .unrepresentable("100000000000000000000"), .double(1e20)), (.double, .unrepresentable("1e999"), nil),
        (.float, .unrepresentable("1\(String(repeating: "0", count: 39))"), nil),
        (.date, .unrepresentable("10000000000000000000"), .date(DateValue(unixSeconds: 1e19))),
        (.decimal, .unrepresentable("10000000000000000000"), nil), (.integer64, .unrepresentable("1e999"), nil),
        (.decimal, .string("+001.50"), .decimal("1.5")), (.decimal, .double(1.5), nil),
        (.boolean, .boolean(false), .boolean(false)), (.boolean, .integer(0), nil),
        (.string, .string("Ann"), .string("Ann")), (.string, .integer(1), nil),
        (.uri, .string("https://example.org"), .uri("https://example.org")),
        (.uuid, .string("0190F1A2-0000-7000-8000-000000000001"), .uuid(id)), (.uuid, .string("0190"), nil),
        (.date, .integer(1_700_000_000), .date(1_700_000_000)), (.date, .double(0.5), .date(0.5)),
        (.date, .string("2026-01-01"), nil),
        (.binary, .string("AAECAw=="), .binary([0, 1, 2, 3])), (.binary, .string("AAECAw"), nil),
        (.binary, .string("AAECAx=="), nil), (.binary, .string("=AAA"), nil), (.binary, .string(""), .binary([])),
        (.transformable, .string("/+8="), .binary([0xff, 0xef])),
        (.undefined, .null, nil), (.string, .array([]), nil), (.string, .object([]), nil),
    ]

    @Test(arguments: cases.indices)
    func readsAndWritesBack(index: Int) throws {
        let (type, json, expected) = AttributeCodingTests.cases[index]
        let attribute = Attribute(name: "value", type: type)
        let value = attribute.value(from: json)
        #expect(value == expected)
        if let value { #expect(attribute.value(from: value.json) == value) }
    }

    @Test(arguments: AttributeType.allCases.filter { $0 != .undefined })
    func nullIsNoValueEvenWhereMandatory(type: AttributeType) {
        var attribute = Attribute(name: "value", type: type)
        attribute.isOptional = false
        #expect(attribute.value(from: .null) == .null)
    }

    @Test func blobs() {
        let hash = String(repeating: "0a", count: 32)
        let attribute = Attribute(name: "photo", type: .binary)
        func json(_ hash: String, _ size: JSONValue, _ extra: [JSONMember] = []) -> JSONValue {
            .object([JSONMember(key: "blob", value: .string(hash)), JSONMember(key: "size", value: size)] + extra)
        }
        #expect(attribute.value(from: json(hash, .integer(70_000))) == .blob(sha256: hash, size: 70_000))
        #expect(PropertyValue.blob(sha256: hash, size: 7).json == json(hash, .integer(7)))
        #expect(attribute.value(from: json(hash.uppercased(), .integer(1))) == nil)
        #expect(attribute.value(from: json(hash, .integer(-1))) == nil)
        #expect(attribute.value(from: json(hash, .integer(1), [JSONMember(key: "x", value: .null)])) == nil)
        #expect(Attribute(name: "name", type: .string).value(from: json(hash, .integer(1))) == nil)
    }

    /// A refused value of the right kind is told with the range, so that no text says "takes Float, not a number".
    @Test func refusalsNameTheRange() {
        func refusal(_ type: AttributeType, _ value: PropertyValue) -> String {
            "takes \(Attribute(name: "x", type: type).expectation(refusing: value)), not \(value.kindName)"
        }
        #expect(refusal(.integer16, .integer(40_000)) == "takes Integer 16 from -32768 to 32767, not the integer 40000")
        #expect(refusal(.float, .double(1e39)).hasSuffix("to 3.4028235e+38, not the number 1e+39"))
        #expect(refusal(.date, .date(DateValue(unixSeconds: .infinity))) == "takes Date, not a date that is not finite")
        #expect(refusal(.decimal, .decimal("1.50")) == "takes Decimal, not the decimal '1.50' (write it as '1.5')")
        #expect(refusal(.string, .integer(1)) == "takes String, not the integer 1")
        var entity = EntityDefinition(name: "E")
        entity.attributes = [Attribute(name: "f", type: .float), Attribute(name: "d", type: .date)]
        let model = try? Model(version: "1", entities: [entity])
        func reason(_ name: String, _ value: JSONValue) -> String? {
            model?.entity(named: "E")?.deferralReason(of: PropertyWrite(name: name, value: value), isInsert: true)
        }
        #expect(
            reason("f", .double(1e39))?.hasSuffix("does not fit: write a number from -3.4028235e+38 to 3.4028235e+38")
                == true
        )
        #expect(
            reason("d", .string("now"))?.hasSuffix(": write the seconds since 1970 as a number that a double holds")
                == true
        )
    }

    @Test func everyLengthOfBase64() {
        for count in 0..<40 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 73 &+ 5) }
            let text = Base64.encode(bytes)
            #expect(text.utf8.count == (count + 2) / 3 * 4)
            #expect(Base64.decode(text) == bytes)
        }
    }

    @Test func compositesAreCheckedAndCanonical() throws {
        var inner = Attribute(name: "inner", type: .composite)
        inner.compositeName = "Inner"
        inner.isOptional = true
        var outer = Attribute(name: "value", type: .composite)
        outer.compositeName = "Outer"
        var entity = EntityDefinition(name: "Thing")
        entity.attributes = [outer]
        let model = try Model(
            version: "1",
            entities: [entity],
            composites: [
                "Outer": [Attribute(name: "b", type: .integer16), Attribute(name: "a", type: .double), inner],
                "Inner": [Attribute(name: "text", type: .string)],
            ]
        )
        let attribute = try #require(model.entity(named: "Thing")?.property(named: "value")?.attribute)
        func value(_ text: String) throws -> PropertyValue? {
            attribute.value(from: try #require(JSONValue(text: text)))
        }
        let canonical = PropertyValue.composite(#"{"a":1.0,"b":2,"inner":{"text":"\"é\n"}}"#)
        #expect(try value(#"{"inner":{"text":"\"\u00e9\n"},"b":2,"a":1}"#) == canonical)
        #expect(attribute.value(from: canonical.json) == canonical)
        #expect(try value(#"{"a":null}"#) == .composite("{}"))
        #expect(try value(#"{"b":70000}"#) == nil)
        #expect(try value(#"{"c":1}"#) == nil)
        #expect(try value(#"{"inner":{"text":1}}"#) == nil)
        #expect(try value(#"[1]"#) == nil)
    }

    @Test func toOneIsAnIDAndToManyIsLinked() {
        var relationship = Relationship(name: "department", destination: "Department")
        let text = JSONValue.string(AttributeCodingTests.id.description)
        #expect(relationship.value(from: text) == .reference(AttributeCodingTests.id))
        #expect(PropertyValue.reference(AttributeCodingTests.id).json == text)
        #expect(relationship.value(from: .null) == .null)
        #expect(relationship.value(from: .string("no")) == nil)
        relationship.isToMany = true
        #expect(relationship.value(from: text) == nil)
    }

    /// No text says "takes Date, not a date": a refused value of the attribute's own kind is told with the reason.
    @Test(arguments: AttributeType.allCases.filter { $0 != .undefined })
    func noRefusalNamesTheKindThatTheAttributeTakes(_ type: AttributeType) {
        let id = UniqueID(high: 1, low: 2)
        let values: [PropertyValue] = [
            .integer(1), .integer(40_000), .integer(3_000_000_000), .double(1.5), .double(1e39), .double(.nan),
            .double(.infinity), .boolean(true), .string("x"), .date(1), .date(DateValue(unixSeconds: .infinity)),
            .decimal("1.5"), .decimal("1.50"), .decimal("x"), .uuid(id), .uri("x"), .binary([1]),
            .composite("{}"), .composite("{"), .reference(id),
        ]
        func kind(_ value: PropertyValue) -> Substring { "\(value)".prefix { $0 != "(" } }
        let own = Set(values.filter(type.holds).map(kind))
        for value in values where !type.holds(value) {
            let attribute = Attribute(name: "x", type: type)
            let expected = attribute.expectation(refusing: value)
            let reasons = ["finite", "write it as", "not a number"]
            let isExplained = expected.contains(" from ") || reasons.contains(where: value.kindName.contains)
            #expect(isExplained || !own.contains(kind(value)), "takes \(expected), not \(value.kindName)")
        }
    }
}
