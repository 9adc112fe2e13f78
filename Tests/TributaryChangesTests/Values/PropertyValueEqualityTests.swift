import Testing
import TributaryChanges

/// Two values are equal when the store cannot distinguish them.
struct PropertyValueEqualityTests {
    @Test func textsAreEqualByTheirBytes() {
        let (composed, decomposed) = ("\u{E9}t\u{E9}", "e\u{301}te\u{301}")
        #expect(composed == decomposed)
        for make in [PropertyValue.string, PropertyValue.uri, PropertyValue.composite] {
            #expect(make(composed) != make(decomposed))
            #expect(make(composed) == make("\u{E9}t" + "\u{E9}"))
            #expect(make("") == make(""))
            #expect(make("a") != make("b"))
        }
        // The texts have equal lengths in bytes, and are canonically equivalent.
        #expect(PropertyValue.string("\u{212B}") != .string("A\u{30A}"))
        let long = String(repeating: "long enough to lie in memory of its own ", count: 20)
        #expect(PropertyValue.string(long + "a") == .string(long + "a"))
        #expect(PropertyValue.string(long + "a") != .string(long + "b"))
        #expect(Set([PropertyValue.string(composed), .string(decomposed)]).count == 2)
    }

    @Test func kindsAreNotEqualToEachOther() {
        let id = UniqueID(high: 1, low: 2)
        let values: [PropertyValue] = [
            .null, .integer(1), .double(1), .boolean(true), .string("1"), .date(1), .decimal("1"), .uuid(id), .uri("1"),
            .binary([1]), .blob(sha256: "1", size: 1), .composite("1"), .reference(id),
        ]
        for (place, value) in values.enumerated() {
            for (other, another) in values.enumerated() { #expect((value == another) == (place == other)) }
            #expect(value.isNull == (place == 0))
        }
        #expect(PropertyValue.blob(sha256: "1", size: 1) != .blob(sha256: "1", size: 2))
        #expect(PropertyValue.double(.nan) != .double(.nan))
    }
}
