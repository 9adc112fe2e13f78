import Testing
import TributaryChanges
import TributaryModel

/// The conversions of attribute types, cell by cell.
@Suite struct AttributeTypeConvertingTests {
    private static let types: [AttributeType] = [
        .integer16, .integer32, .integer64, .decimal, .double, .float, .boolean, .string, .uri, .uuid, .date, .binary,
        .transformable, .composite,
    ]

    /// For each type the other types to which it converts losslessly.
    private static let expected: [AttributeType: Set<AttributeType>] = [
        .integer16: [.integer32, .integer64, .decimal, .float, .double],
        .integer32: [.integer64, .decimal, .double],
        .integer64: [.decimal],
        .float: [.double],
        .string: [.uri],
        .uri: [.string],
        .binary: [.transformable],
        .transformable: [.binary],
    ]

    @Test func `each pair of types`() {
        for from in Self.types {
            for to in Self.types {
                let isExpected = from == to || Self.expected[from, default: []].contains(to)
                #expect(from.convertsLosslessly(to: to) == isExpected, "\(from) to \(to)")
            }
        }
    }

    @Test func `the greatest and the least integer stay equal`() {
        let bounds: [AttributeType: ClosedRange<Int64>] = [
            .integer16: Int64(Int16.min)...Int64(Int16.max), .integer32: Int64(Int32.min)...Int64(Int32.max),
            .integer64: .min ... .max,
        ]
        for (from, range) in bounds {
            for to in Self.types where from.convertsLosslessly(to: to) {
                for whole in [range.lowerBound, range.upperBound, 0, -1] {
                    switch to.converted(.integer(whole)) {
                    case .integer(let value): #expect(value == whole)
                    case .double(let value): #expect(Int64(to == .float ? Double(Float(value)) : value) == whole)
                    case .decimal(let text): #expect(text == String(whole))
                    default: Issue.record("\(from) to \(to)")
                    }
                }
            }
        }
    }
}
