import Foundation
import Testing
import TributaryChanges

@Suite("Writing JSON")
struct JSONWritingTests {
    @Test("values come out as RFC 8259 has them")
    func values() {
        let value = JSONValue.object([
            JSONMember(key: "b", value: .array([.null, .boolean(true), .integer(.min), .double(0.1)])),
            JSONMember(key: "a", value: .string("\"\\\n\u{1}\u{1f}é/")),
            JSONMember(key: "c", value: .unrepresentable("123456789012345678901234567890")),
        ])
        let expected =
            #"{"b":[null,true,-9223372036854775808,0.1],"a":"\"\\\n\u0001\u001fé/","c":123456789012345678901234567890}"#
        #expect(value.text == expected)
    }

    @Test("of objects and arrays eight are read one in another")
    func nesting() {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            func text(_ depth: Int) -> String {
                String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
            }
            #expect(JSONValue(text: text(8))?.text == text(8))
            #expect(JSONValue(text: text(9)) == nil)
        }
    }

    @Test("canonical bytes do not depend on the order of the members")
    func canonical() {
        let one = JSONMember(
            key: "z",
            value: .object([JSONMember(key: "b", value: .null), JSONMember(key: "a", value: .null)])
        )
        let two = JSONMember(key: "a", value: .integer(1))
        let left = JSONValue.object([one, two]).canonicalBytes
        #expect(left == JSONValue.object([two, one]).canonicalBytes)
        #expect(String(decoding: left, as: UTF8.self) == #"{"a":1,"z":{"a":null,"b":null}}"#)
    }

    @Test(
        "every double reads back to itself",
        arguments: [0.0, -0.0, 1e300, Double.leastNonzeroMagnitude, 1.0 / 3, 1e21, 123456789.125]
    )
    func doubles(value: Double) {
        #expect(Double(JSONValue.double(value).text) == value)
    }
}
