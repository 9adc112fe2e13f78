import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryClient

/// A request with a value that an attribute refuses is answered with what the attribute takes instead.
@Suite(.timeLimit(.minutes(30)), .daemonTurns) struct RefusedValueTests {
    /// For each attribute its declaration, what it takes, values that it refuses, and values that it takes.
    private static let table: [(name: String, declaration: String, rule: String, refused: [String], taken: [String])] =
        [
            ("text", "String?", "write a string", ["1", "true", "[]", "{}"], [#""""#]),
            (
                "small", "Integer 16?", "write an integer from -32768 to 32767", ["40000", "1.5", #""1""#, "true"],
                ["-32768"]
            ),
            ("middle", "Integer 32?", "write an integer from -2147483648 to 2147483647", ["3000000000"], ["40000"]),
            (
                "long", "Integer 64?", "write an integer from -9223372036854775808 to 9223372036854775807",
                ["9223372036854775808", "1.5"], ["3000000000"]
            ),
            ("flag", "Boolean?", "write true or false", ["1", #""true""#], ["true"]),
            (
                "day", "Date?", "write the seconds since 1970 as a number that a double holds",
                [#""2026-01-01""#, "true", "1e999"], ["1", "1.5", "1e39"]
            ),
            ("bytes", "Binary?", "write the bytes in base64 as a string", ["1", #""x""#], [#""AQID""#]),
            ("shape", "Transformable?", "write the bytes in base64 as a string", ["1", #""x""#], [#""AQID""#]),
            (
                "number", "Double?", "write a number from -1.7976931348623157e+308 to 1.7976931348623157e+308",
                ["1e999", #""1""#, #"{"increment":1}"#], ["1e39", "9223372036854775808"]
            ),
            ("short", "Float?", "write a number from -3.4028235e+38 to 3.4028235e+38", ["1e+39", #""1""#], ["1.5"]),
            (
                "amount", "Decimal?", #"write the number as a string, such as "12.50""#, ["1.5", #""12,5""#],
                [#""12.5""#, "1"]
            ),
            (
                "code", "UUID?", "write the UUID as a string", [#""x""#, "1"],
                [#""0190f1a2-0000-7000-8000-000000000001""#]
            ),
            ("place", "URI?", "write a string", ["1"], [#""x""#]),
            (
                "size", "{composite: Size, optional: true}", "write an object of unit (String), width (Double)",
                ["1", #"{"width":"x"}"#, #"{"depth":1}"#], [#"{"width":1}"#]
            ),
        ]
    /// Counters take every sum.
    private static let counters: [(name: String, declaration: String, refused: [(String, String)], taken: [String])] = [
        (
            "count", "{type: Integer 16, merge: counter, default: 0}",
            [
                ("true", #"'Item.count' is a counter: write {"increment":N}"#),
                (
                    #"{"increment":1.5}"#,
                    "the increment of 'Item.count' is 1.5: write an integer from -9223372036854775808 to 9223372036854775807"
                ),
            ], ["40000", #"{"increment":40000}"#]
        ),
        (
            "sum", "{type: Float, merge: counter, default: 0}",
            [
                (#""x""#, #"'Item.sum' is a counter: write {"increment":N}"#),
                (
                    #"{"increment":true}"#,
                    "the increment of 'Item.sum' is true: write a number from -1.7976931348623157e+308 to "
                        + "1.7976931348623157e+308"
                ),
            ], ["1e39", #"{"increment":1e39}"#]
        ),
    ]

    @Test func everyRefusalNamesWhatTheAttributeTakes() async throws {
        let daemon = try RunningDaemon()
        let declarations =
            Self.table.map { ($0.name, $0.declaration) } + Self.counters.map { ($0.name, $0.declaration) }
        let lines = declarations.map { "      \($0.0): \($0.1)\n" }.joined()
        let composites = "composites: {Size: {width: Double, unit: String?}}\n"
        try daemon.folder.write(
            "version: \"1\"\nentities:\n  Item:\n    attributes:\n\(lines)\(composites)",
            to: "model.yaml"
        )
        try await daemon.start()
        func post(_ name: String, _ value: String) async throws -> (Int, String) {
            let change = #"{"insert":"Item","values":{"\#(name)":\#(value)}}"#
            let (status, answer) = try await daemon.call(.post, "/v1/transactions", #"{"changes":[\#(change)]}"#)
            return (status, answer["detail"] as? String ?? "")
        }
        for (name, declaration, rule, refused, taken) in Self.table {
            let type = declaration.hasPrefix("{") ? "Composite" : String(declaration.dropLast())
            for value in refused {
                let (status, text) = try await post(name, value)
                #expect(text == "'Item.\(name)' is of type \(type), which \(value) does not fit: \(rule)")
                #expect(status == 422)
            }
            for value in taken { #expect(try await post(name, value) == (200, ""), "\(name) \(value)") }
        }
        for (name, _, refused, taken) in Self.counters {
            for (value, text) in refused { #expect(try await post(name, value) == (422, text)) }
            for value in taken { #expect(try await post(name, value) == (200, ""), "\(name) \(value)") }
        }
        // The parts of a key are told apart by the attribute, not by how they are written.
        for (name, value, text) in [
            ("day", "1", "'identity' names 'day', which must be a string, an integer or a boolean, not a date"),
            (
                "number", "1",
                "'identity' names 'number', which must be a string, an integer or a boolean, not the number 1.0"
            ),
            (
                "small", "40000",
                "'identity' names 'small': 'Item.small' is of type Integer 16, which 40000 does not fit: "
                    + "write an integer from -32768 to 32767"
            ),
            ("count", #"{"increment":1}"#, "'identity' names 'count': an increment identifies nothing"),
        ] {
            let change = #"{"insert":"Item","identity":["\#(name)"],"values":{"\#(name)":\#(value)}}"#
            let (status, answer) = try await daemon.call(.post, "/v1/transactions", #"{"changes":[\#(change)]}"#)
            #expect(status == 400 && (answer["detail"] as? String)?.contains(text) == true, "\(answer)")
        }
    }
}
