import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryChanges
import TributaryClient

/// A running daemon answers each operation with the status and content that the OpenAPI document describes.
@Suite(.daemonTurns) struct InterfaceAnswerTests {
    /// A writer whose clock is ten days ahead.
    private static let future = "5f0c0000-0000-4000-8000-00000000ffff"

    @Test(.timeLimit(.minutes(30))) func everyAnswerIsAsDescribed() async throws {
        let daemon = try await RunningDaemon.started()
        let talk = try await InterfaceTalk(daemon)
        var writer = RunningDaemon.foreignWriter()
        try writer.write([[RunningDaemon.insertion(1)]], to: daemon.logs)
        let now = UInt64(Date().timeIntervalSince1970 * 1000)
        var held = ForeignWriter(id: InterfaceAnswerTests.future, milliseconds: now + 10 * 86_400_000)
        try held.write([[RunningDaemon.insertion(2)]], to: daemon.logs)
        let department = "0190f1a2-0000-7000-8000-0000000000d1"
        let employee = "0190f1a2-0000-7000-8000-0000000000e1"
        let insert = """
            {"changes":[{"insert":"Department","id":"\(department)","values":{"title":"R&D"}},
            {"insert":"Employee","id":"\(employee)","values":{"name":"Ann","department":"\(department)"}}]}
            """
        try await talk.ask("POST /v1/transactions", body: insert, expecting: 200)
        try await talk.ask("POST /v1/transactions", body: insert, expecting: 409)
        try await talk.ask("POST /v1/transactions", body: "{", expecting: 400)
        let invalid = #"{"changes":[{"insert":"Employee","values":{"salary":200000}}]}"#
        try await talk.ask("POST /v1/transactions", body: invalid, expecting: 422)
        try await talk.ask("POST /v1/sync", expecting: 200)
        try await talk.ask("GET /v1/status", expecting: 200)
        try await talk.ask("GET /v1/health", expecting: 200)
        try await talk.ask("GET /metrics", expecting: 200)
        try await talk.ask("GET /v1/page", expecting: 200)
        try await talk.ask("GET /v1/model", expecting: 200)
        try await talk.ask("GET /v1/writers", expecting: 200)
        try await talk.ask("GET /v1/writers", query: "limit=0", expecting: 400)
        try await talk.ask("GET /v1/objects/{entity}", ["Employee"], query: "include=department", expecting: 200)
        try await talk.ask("GET /v1/objects/{entity}", ["Department"], query: "include=employees", expecting: 200)
        try await talk.ask("GET /v1/objects/{entity}", ["Employee"], query: "limit=1", expecting: 200)
        try await talk.ask("GET /v1/objects/{entity}", ["Employee"], query: "count=true", expecting: 200)
        try await talk.ask("GET /v1/objects/{entity}", ["Employee"], query: "where=(", expecting: 400)
        try await talk.ask("GET /v1/objects/{entity}", ["Nobody"], expecting: 404)
        let object = ["Employee", employee]
        try await talk.ask("GET /v1/objects/{entity}/{id}", object, query: "include=department", expecting: 200)
        try await talk.ask("GET /v1/objects/{entity}/{id}", ["Employee", department], expecting: 404)
        try await talk.ask("GET /v1/history", expecting: 200)
        try await talk.ask("GET /v1/history", query: "limit=1", expecting: 200)
        try await talk.ask("GET /v1/digest", expecting: 200)
        try await talk.ask("POST /v1/check", expecting: 200)
        try await talk.ask("POST /v1/check", body: #"{"repair":true}"#, expecting: 200)
        try await talk.ask("POST /v1/check", body: #"{"mend":true}"#, expecting: 400)
        try await talk.ask("POST /v1/backup", expecting: 200)
        try await talk.ask("POST /v1/compact", query: "dryRun=true", expecting: 200)
        try await baselines(talk)
        try await writers(writer.id, talk)
        try await segments(of: writer.id, talk)
        try await conflicts(of: &writer, employee, talk, logs: daemon.logs)
        try await talk.ask("POST /v1/sync", expecting: 200)
        try await talk.ask("POST /v1/writers/self/restamp", expecting: 200)
        // A save that overwrites a value of an accepted segment, ten days ahead, gets a clock just after it.
        let ahead = #"{"changes":[{"update":"Employee","id":"\#(RunningDaemon.employee(2))","values":{"name":"Bea"}}]}"#
        try await talk.ask("POST /v1/transactions", body: ahead, expecting: 200)
        try await talk.ask("POST /v1/writers/self/restamp", expecting: 200)
        try await settings(talk)
        try await talk.follow()
        try await talk.ask("POST /v1/shutdown", expecting: 202)
        #expect(talk.unasked.isEmpty, "not asked: \(talk.unasked.sorted())")
    }

    private func segments(of writer: String, _ talk: InterfaceTalk) async throws {
        let name = [writer, "0000000000000001-0000000000000001"]
        try await talk.ask("GET /v1/segments", query: "all=true", expecting: 200)
        try await talk.ask("GET /v1/segments", query: "state=lost", expecting: 400)
        try await talk.ask("GET /v1/segments/{writer}/{range}", name, expecting: 200)
        try await talk.ask("POST /v1/segments/{writer}/{range}/retry", name, expecting: 200)
        let future = [InterfaceAnswerTests.future, "0000000000000001-0000000000000001"]
        try await talk.ask("POST /v1/segments/{writer}/{range}/accept", future, expecting: 200)
        let missing = [writer, "0000000000000009-0000000000000009"]
        try await talk.ask("GET /v1/segments/{writer}/{range}", missing, expecting: 200)
        let unknown = ["0190f1a2-0000-7000-8000-000000000009", missing[1]]
        try await talk.ask("GET /v1/segments/{writer}/{range}", unknown, expecting: 404)
        try await talk.ask("POST /v1/segments/{writer}/{range}/accept", missing, expecting: 404)
        let refusal = try await talk.ask("POST /v1/segments/{writer}/{range}/accept", name, expecting: 409)
        #expect(refusal.text.contains("is applied, not held"), "\(refusal.text)")
    }

    private func baselines(_ talk: InterfaceTalk) async throws {
        let path = "POST /v1/baselines/{writer}/{sequence}/accept"
        let unknown = ["0190f1a2-0000-7000-8000-000000000009", "0000000000000009"]
        let answer = try await talk.ask(path, unknown, expecting: 404)
        #expect(answer.text.contains("no baseline") && answer.text.contains("tributaryctl compact"), "\(answer.text)")
        try await talk.ask(path, [unknown[0], "9"], expecting: 400)
        try await talk.ask(path, ["nobody", unknown[1]], expecting: 400)
        try await talk.ask(path, unknown, query: "unproven=odd", expecting: 400)
        let report = try await talk.ask("POST /v1/compact", expecting: 200).decode(CompactionReport.self)
        let file = try #require(report.baseline.file).split(separator: "/").map(String.init)
        let name = [file[0], String(file[1].prefix(16))]
        try await talk.ask(path, name, query: "unproven=true", expecting: 200)
        let again = try await talk.ask(path, name, expecting: 200).decode(CompactionReport.Step.self)
        #expect(again.result == .exists && again.file == report.baseline.file, "\(again)")
    }

    private func writers(_ writer: String, _ talk: InterfaceTalk) async throws {
        for verb in ["evict", "abandon"] {
            try await talk.ask("POST /v1/writers/{writer}/\(verb)", [writer], expecting: 200)
            try await talk.ask("POST /v1/writers/{writer}/\(verb)", [writer], expecting: 200)
            let unknown = "0190f1a2-0000-7000-8000-000000000009"
            try await talk.ask("POST /v1/writers/{writer}/\(verb)", [unknown], expecting: 404)
            try await talk.ask("POST /v1/writers/{writer}/\(verb)", ["nobody"], expecting: 400)
        }
        let key = String(repeating: "ab", count: 32)
        for verb in ["trust", "revoke"] {
            let path = "POST /v1/writers/{writer}/\(verb)"
            // Nothing of it is held, so that it must be said which key is meant.
            if verb == "trust" { try await talk.ask(path, [writer], expecting: 409) }
            for _ in 0..<2 { try await talk.ask(path, [writer], body: #"{"key":"\#(key)"}"#, expecting: 200) }
            try await talk.ask(path, [writer], body: #"{"key":"\#(key)0"}"#, expecting: 400)
            try await talk.ask(path, [writer], body: #"{"key":7}"#, expecting: 400)
            try await talk.ask(path, ["0190f1a2-0000-7000-8000-000000000009"], expecting: 404)
            try await talk.ask(path, ["nobody"], expecting: 400)
        }
        try await talk.ask("POST /v1/writers/self/restamp", expecting: 200)
    }

    /// A writer of which nothing is known loses a value that is older than the one of the daemon.
    private func conflicts(
        of writer: inout ForeignWriter,
        _ employee: String,
        _ talk: InterfaceTalk,
        logs: String
    ) async throws {
        let late = #"{"update":"Employee","id":"\#(employee)","values":{"name":"Late"}}"#
        try writer.write([[late]], to: logs)
        try await talk.ask("POST /v1/sync", expecting: 200)
        try await talk.ask("GET /v1/conflicts", query: "limit=1", expecting: 200)
        try await talk.ask("GET /v1/conflicts", query: "after=-1", expecting: 400)
        try await talk.ask("GET /v1/page", accepting: "application/json", expecting: 200)
        try await talk.ask("POST /v1/conflicts/{number}/restore", ["1"], expecting: 200)
        try await talk.ask("POST /v1/conflicts/{number}/restore", ["2"], expecting: 404)
        try await talk.ask("POST /v1/conflicts/{number}/restore", ["x"], expecting: 400)
    }

    private func settings(_ talk: InterfaceTalk) async throws {
        try await talk.ask("POST /v1/pause", body: #"{"forSeconds":60}"#, expecting: 200)
        try await talk.ask("POST /v1/sync", expecting: 409)
        try await talk.ask("GET /v1/status", expecting: 200)
        try await talk.ask("POST /v1/resume", expecting: 200)
        try await talk.ask("GET /v1/log-level", expecting: 200)
        try await talk.ask("PUT /v1/log-level", body: #"{"level":"debug"}"#, expecting: 200)
        try await talk.ask("PUT /v1/log-level", body: #"{"level":"loud"}"#, expecting: 400)
        try await talk.ask("GET /v1/config", expecting: 200)
        let document = try await talk.ask("GET /v1/openapi.json", expecting: 200)
        let printed = try await Answer(of: ["--openapi"], to: "tributaryd", in: try TemporaryFolder("openapi"))
        #expect(printed.ending == .exited(0) && printed.output == document.text + "\n")
        try await talk.ask("POST /v1/reload", expecting: 200)
    }
}
