import TributaryChanges

enum ProbeSample {
    private static let all: [PropertyValue] = [
        .string(" Ab\u{e9} "), .string("x,1;"), .integer(7919), .integer(-31), .double(-5.75), .double(1_000.25),
        .boolean(true), .boolean(false), .date(86_399.5), .date(-1), .decimal("12.5"), .decimal("-7"),
        .uuid(UniqueID(high: 0x0190_f1a2_0000_7000, low: 0x8000_0000_0000_0001)),
        .uuid(UniqueID(high: 0x0190_f1a2_0000_7000, low: 0x8000_0000_0000_0002)),
        .uri("https://example.org/a?b=c"), .uri("mailto:a@example.org"), .binary([0, 255, 7]), .binary([1]),
    ]

    /// Returns values that the type represents exactly; none when the type is not an attribute's type.
    static func samples<Output>(of type: Output.Type) -> [PropertyValue] {
        guard let type = Output.self as? any FieldValue.Type else { return [] }
        return fitting(type)
    }

    private static func fitting<Value: FieldValue>(_ type: Value.Type) -> [PropertyValue] {
        if let composite = Value.Present.self as? any CompositeValue.Type {
            return CompositeProbe.samples(of: composite)
        }
        return all.filter { Value(fieldValue: $0)?.fieldValue == $0 }
    }
}
