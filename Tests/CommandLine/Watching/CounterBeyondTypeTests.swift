import TestSupport
import Testing
import TributaryAdmin
import TributaryClient

/// A counter whose sum its type cannot hold is a notice, and goes on counting.
@Suite(.daemonTurns) struct CounterBeyondTypeTests {
    @Test func itIsANotice() async throws {
        let daemon = try RunningDaemon()
        try daemon.folder.write(
            EmployeeModel.text(adding: "stock: {type: Integer 16, default: 10, merge: counter}"),
            to: "model.yaml"
        )
        try await daemon.start()
        let id = "5f0c0000-0000-4000-8000-000000000001"
        try await daemon.save(#"{"insert":"Employee","id":"\#(id)","values":{"name":"Ann","stock":20000}}"#)
        try await daemon.success(of: ["status", "--check"])
        #expect(try await daemon.call(.get, "/v1/status").1["notices"] == nil)
        var other = RunningDaemon.foreignWriter(2)
        let increment = #"{"update":"Employee","id":"\#(id)","values":{"stock":{"increment":20000}}}"#
        try other.write([[increment]], to: daemon.logs)
        try await daemon.success(of: ["sync"])

        try await daemon.success(of: ["status", "--check"])
        let text = try await daemon.success(of: ["status"]).output
        #expect(
            text.contains("notice: 'Employee.stock' of \(id) is 40000, beyond its type Integer 16.\n")
                && text.contains("Give the attribute a greater integer type in the next version of the model."),
            "\(text)"
        )
        // Every increment is taken, and the notice ends with the state.
        try await daemon.save(#"{"update":"Employee","id":"\#(id)","values":{"stock":{"increment":-1}}}"#)
        let status = try await daemon.success(of: ["status"]).output
        #expect(status.contains("is 39999, beyond"), "\(status)")
        try await daemon.save(#"{"update":"Employee","id":"\#(id)","values":{"stock":{"increment":-20000}}}"#)
        #expect(try await daemon.call(.get, "/v1/status").1["notices"] == nil)
    }
}
