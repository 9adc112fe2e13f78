import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryClient

/// A producer's values that the model cannot represent are deferred, and every view of the daemon reports them.
@Suite(.daemonTurns) struct DeferralReportTests {
    private static let ann = "0190f1a2-0000-7000-8000-000000000001"
    private static let nobody = "0190f1a2-0000-7000-8000-0000000000ff"
    private static let lines = [
        #"{"insert":"Employee","id":"\#(ann)","values":{"name":"Ann","salary":"12.50"}}"#,
        #"{"update":"Employee","id":"\#(ann)","values":{"count":1,"shoe":44}}"#,
        #"{"update":"Department","id":"\#(nobody)","values":{"title":"lost"}}"#,
        #"{"insert":"Department","id":"0190f1a2-0000-7000-8000-000000000002","values":{"employees":["\#(ann)"]}}"#,
    ]

    @Test func statusJournalMetricsAndSegmentsNameDeferredValues() async throws {
        let daemon = try RunningDaemon()
        let now = UInt64(Date().timeIntervalSince1970 * 1000)
        var writer = ForeignWriter(id: "5f0c0000-0000-4000-8000-00000000000a", milliseconds: now)
        try writer.write([[], Self.lines], to: daemon.logs)
        let path = "\(writer.id)/0000000000000001-0000000000000002"
        try await daemon.start()
        #expect(try await daemon.call(.post, "/v1/sync").0 == 200)

        let status = try await daemon.command(["status"])
        let explanation = try await daemon.command(["segment", "explain", path]).output
        for text in ["Employee.salary", "Employee.shoe", "Department.employees", "line 4", "line 5", "line 7"] {
            #expect(explanation.contains(text), "\(text) in \(explanation)")
        }
        #expect(status.output.contains("values that the model cannot hold: 3"), "\(status.output)")
        #expect(status.output.contains("updated objects that no segment has inserted yet: 1"), "\(status.output)")
        #expect(status.output.contains("tributaryctl segment explain \(path)"), "\(status.output)")
        #expect(try await daemon.command(["status", "--check"]).ending == .exited(75))

        let (_, answer) = try await daemon.call(.get, "/v1/status")
        let deferred = try #require(answer["deferred"] as? [String: Any])
        #expect(deferred["values"] as? Int == 3 && deferred["unknownObjects"] as? Int == 1)
        let (_, explained) = try await daemon.call(.get, "/v1/segments/\(path)")
        let values = try #require(explained["deferredValues"] as? [[String: Any]])
        let salary = try #require(values.first { $0["property"] as? String == "salary" })
        #expect(salary["entity"] as? String == "Employee" && salary["line"] as? Int == 4)
        #expect(salary["value"] as? String == "\"12.50\"")
        #expect((salary["rule"] as? String)?.contains("Double") == true)

        let (_, listing) = try await daemon.call(.get, "/v1/segments")
        let segments = try #require(listing["segments"] as? [[String: Any]])
        #expect(segments.count == 1 && segments.first?["deferred"] as? Int == 3, "\(listing)")
        let list = try await daemon.command(["segment", "list"])
        #expect(list.output.contains("3 values are deferred"), "\(list.output)")

        let metrics = try await daemon.command(["metrics"])
        #expect(metrics.output.contains("tributary_deferred_values 3"))
        #expect(metrics.output.contains("tributary_unknown_objects 1"))
        #expect(daemon.journal.contains("deferred") && daemon.journal.contains("line 4"), "\(daemon.log)")

        // An insert of the object puts its deferred update into effect.
        try writer.write([[#"{"insert":"Department","id":"\#(Self.nobody)","values":{}}"#]], to: daemon.logs)
        #expect(try await daemon.call(.post, "/v1/sync").0 == 200)
        let later = try #require(try await daemon.call(.get, "/v1/status").1["deferred"] as? [String: Any])
        #expect(later["unknownObjects"] as? Int == 0 && later["values"] as? Int == 3)
    }

    /// A new machine imports what was written long ago for properties that the model has had once.
    @Test func oldValuesOfPropertiesThatTheModelLacksAreANotice() async throws {
        let daemon = try RunningDaemon()
        let old = UInt64(Date().timeIntervalSince1970 * 1000) - 30 * 86_400_000
        var writer = ForeignWriter(id: "5f0c0000-0000-4000-8000-00000000000a", milliseconds: old)
        let line = #"{"insert":"Employee","id":"\#(Self.ann)","values":{"name":"Ann","shoe":44}}"#
        try writer.write([[line]], to: daemon.logs)
        try await daemon.start()
        #expect(try await daemon.call(.post, "/v1/sync").0 == 200)
        #expect(try await daemon.command(["status", "--check"]).ending == .exited(0))
        let status = try await daemon.command(["status"])
        #expect(status.output.contains("notice: Imported, but without effect"), "\(status.output)")
        let (_, answer) = try await daemon.call(.get, "/v1/status")
        #expect((answer["deferred"] as? [String: Any])?["values"] as? Int == 1)
        #expect((answer["problems"] as? [Any])?.isEmpty == true, "\(answer)")
    }

    @Test func verifyHoldsValuesAgainstAModel() async throws {
        let daemon = try RunningDaemon()
        var writer = ForeignWriter(id: "5f0c0000-0000-4000-8000-00000000000a", milliseconds: 1_700_000_000_000)
        let nameless = #"{"insert":"Employee","id":"0190f1a2-0000-7000-8000-000000000003","values":{"salary":1}}"#
        let file = try writer.write([Self.lines + [nameless]], to: daemon.logs)
        try await daemon.success(of: ["segment", "verify", file])
        let model = daemon.folder.path("model.yaml")
        let checked = try await daemon.expect(65, of: ["segment", "verify", "--model", model, file])
        #expect(checked.output.contains("line 3") && checked.output.contains("Employee.salary"), "\(checked.output)")
        #expect(checked.output.contains("line 4") && checked.output.contains("Employee.shoe"), "\(checked.output)")
        #expect(checked.output.contains("line 6") && checked.output.contains("to-many"), "\(checked.output)")
        #expect(
            checked.output.contains("line 7: Employee") && checked.output.contains("mandatory"),
            "\(checked.output)"
        )
    }

    @Test func mandatoryPropertiesOfObjectsWithOneUUIDAreDistinguished() async throws {
        let daemon = try RunningDaemon()
        try daemon.folder.write(
            EmployeeModel.text.replacing("title: {type: String, optional: true}", with: "title: {type: String}"),
            to: "strict.yaml"
        )
        func inserts(_ employee: String, _ department: String) -> String {
            #"{"insert":"Employee","id":"\#(Self.ann)","values":{\#(employee)}}"# + "\n"
                + #"{"insert":"Department","id":"\#(Self.ann)","values":{\#(department)}}"# + "\n"
        }
        func write(_ input: String) async throws -> Answer {
            let writer = UUID().uuidString.lowercased()
            let arguments = ["segment", "write", "--logs", daemon.logs, "--writer", writer, "--model"]
            return try await daemon.command(arguments + [daemon.folder.path("strict.yaml")], input: input)
        }
        let nameless = try await write(inserts(#""salary":1"#, #""title":"R""#))
        #expect(nameless.ending == .exited(65) && nameless.errors.contains("line 1"), "\(nameless)")
        #expect(nameless.errors.contains("'Employee.name' is mandatory"), "\(nameless)")
        let deletion = #"{"delete":"Department","id":"\#(Self.ann)"}"# + "\n"
        let late = try await write(inserts(#""name":"Ann""#, #""title":"R""#) + deletion)
        #expect(late.ending == .exited(65) && late.errors.contains("line 3: a 'delete' follows"), "\(late)")
        let whole = try await write(inserts(#""name":"Ann""#, #""title":"R""#))
        #expect(whole.ending == .exited(0), "\(whole)")
    }

    @Test func writeRefusesAnInsertWithoutItsMandatoryProperties() async throws {
        let daemon = try RunningDaemon()
        let insert = #"{"insert":"Employee","id":"\#(Self.ann)","values":{"salary":1}}"#
        let arguments = [
            "segment", "write", "--logs", daemon.logs, "--writer", "5f0c0000-0000-4000-8000-00000000000a", "--model",
            daemon.folder.path("model.yaml"),
        ]
        let refused = try await daemon.expect(65, of: arguments, input: insert + "\n", errors: "line 1")
        #expect(refused.errors.contains("'Employee.name' is mandatory"), "\(refused.errors)")
        let update = #"{"update":"Employee","id":"\#(Self.ann)","values":{"name":"Ann"}}"#
        try await daemon.success(of: arguments, input: insert + "\n" + update + "\n")
    }
}
