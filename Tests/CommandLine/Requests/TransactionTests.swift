import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryChanges
import TributaryClient

@Suite("Transactions over the socket", .daemonTurns)
struct TransactionTests {
    @Test("all or nothing, with versions, validation and repeats", .timeLimit(.minutes(30)))
    func transactions() async throws {
        let daemon = try await RunningDaemon.started()
        let id = "0190f1a2-0000-7000-8000-00000000000a"
        let insert =
            #"{"changes":[{"insert":"Employee","id":"\#(id)","values":{"name":"Ann","count":9007199254740993}}]}"#
        let first = try await daemon.call(.post, "/v1/transactions", insert)
        #expect(first.0 == 200)
        #expect(first.1["ids"] as? [String] == [id])
        #expect(try await daemon.call(.post, "/v1/transactions", insert).0 == 409)

        // A GET after the POST returns the new values with all digits.
        let object = try await daemon.client.send(AdminCall(.get, "/v1/objects/Employee/\(id)"))
        #expect(object.text.contains("9007199254740993"))
        let version = try #require(try await daemon.call(.get, "/v1/objects/Employee/\(id)").1["version"] as? Int)
        func update(_ name: String, _ version: Int) -> String {
            #"{"changes":[{"update":"Employee","id":"\#(id)","values":{"name":"\#(name)"},"ifVersion":\#(version)}]}"#
        }
        #expect(try await daemon.call(.post, "/v1/transactions", update("Bea", version)).0 == 200)
        #expect(try await daemon.call(.post, "/v1/transactions", update("Cid", version)).0 == 409)

        // One invalid change prevents the valid one; the response names every failed property.
        let half = """
            {"changes":[{"insert":"Department","values":{"title":"R&D"}},
            {"insert":"Employee","values":{"salary":200000}}]}
            """
        let refused = try await daemon.call(.post, "/v1/transactions", half)
        #expect(refused.0 == 422)
        #expect((refused.1["errors"] as? [Any])?.count == 2, "\(refused.1)")
        #expect(try await daemon.count("Department") == 0)

        // A request with a known key gets the first response, and inserts nothing.
        let body = Array(#"{"changes":[{"insert":"Department","values":{"title":"Once"}}]}"#.utf8)
        let key = ["idempotency-key": UUID().uuidString]
        let answers = [
            try await daemon.client.send(AdminCall(.post, "/v1/transactions", body: body, headers: key)),
            try await daemon.client.send(AdminCall(.post, "/v1/transactions", body: body, headers: key)),
        ]
        #expect(answers.map(\.status) == [200, 200])
        #expect(answers[0].text == answers[1].text)
        #expect(try await daemon.count("Department") == 1)
    }

    @Test("two machines that insert one key have inserted one object", .timeLimit(.minutes(30)))
    func identity() async throws {
        let machines = [try await RunningDaemon.started(), try await RunningDaemon.started()]
        func insert(_ values: String, _ rest: String = "") -> String {
            #"{"changes":[{"insert":"Department","identity":["title"],"values":\#(values)\#(rest)}]}"#
        }
        var ids: Set<[String]> = []
        for machine in machines {
            let answer = try await machine.call(.post, "/v1/transactions", insert(#"{"title":"R&D"}"#))
            #expect(answer.0 == 200, "\(answer.1)")
            ids.insert(try #require(answer.1["ids"] as? [String]))
            #expect(try await machine.call(.post, "/v1/transactions", insert(#"{"title":"R&D"}"#)).0 == 409)
        }
        let id = try #require(UniqueID(entity: "Department", key: ["title": .string("R&D")]))
        #expect(ids == [[id.description]])
        for (values, rest) in [
            ("{}", ""), (#"{"title":null}"#, ""), (#"{"title":1}"#, ""), (#"{"title":"x"}"#, #","id":"\#(id)""#),
        ] {
            #expect(try await machines[0].call(.post, "/v1/transactions", insert(values, rest)).0 == 400)
        }
    }

    /// The IDs are computed with another program, from the normal form of the value.
    @Test(
        "the spellings of one value of a key give one ID, in requests and in written segments",
        .timeLimit(.minutes(30))
    )
    func spellingsOfKeys() async throws {
        let daemon = try RunningDaemon()
        try daemon.folder.write(
            """
            version: "1"
            entities:
              Item:
                attributes: {number: Integer 64?, text: String?, code: UUID?, amount: Decimal?, isOpen: Boolean?, at: Date?}
            """,
            to: "model.yaml"
        )
        try await daemon.start()
        let folder = daemon.folder.path("written")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let write = [
            "segment", "write", "--logs", folder, "--writer", UUID().uuidString.lowercased(),
            "--model", daemon.folder.path("model.yaml"), "--json",
        ]
        func insert(_ name: String, _ value: String) -> String {
            #"{"insert":"Item","identity":["\#(name)"],"values":{"\#(name)":\#(value)}}"#
        }
        let spellings: [(name: String, id: String, values: [String])] = [
            ("number", "258d0c51-69ec-8531-ae99-c1c8c8603910", ["1"]),
            ("number", "e0540da0-63cc-8dc4-89b1-5c12d77679d0", ["0", "-0"]),
            ("text", "1caa859d-765d-8a52-9e0c-17b626ab2fd1", [#""é""#, #""\u00e9""#, #""\u00E9""#]),
            ("text", "7ee5af87-91b5-8332-b5cc-7effa9bfdeea", [#""e\u0301""#]),
            ("text", "40fdd7a4-8459-872d-a6e5-0877e33cb6f5", [#""/a""#, #""\/a""#]),
            (
                "code", "dd6cfed3-73d4-8244-aeca-c6b609f57f49",
                [#""0190f1a2-0000-7000-8000-00000000000a""#, #""0190F1A2-0000-7000-8000-00000000000A""#]
            ),
            ("amount", "93b04b61-923c-8964-bd8f-42b8c15ed73d", [#""1""#, #""1.0""#, "1"]),
            ("isOpen", "486d7ba2-9718-845e-8055-8a478f4c25e3", ["true"]),
        ]
        for (name, id, values) in spellings {
            for value in values {
                let change = insert(name, value)
                let written = try await daemon.success(of: write, input: change + "\n")
                #expect(written.output.contains(#""ids":["\#(id)"]"#), "\(change): \(written.output)")
                let (status, answer) = try await daemon.call(.post, "/v1/transactions", #"{"changes":[\#(change)]}"#)
                // The other spellings are of an object that is there.
                guard value == values[0] else {
                    #expect(status == 409, "\(change): \(answer)")
                    continue
                }
                #expect(status == 200 && answer["ids"] as? [String] == [id], "\(change): \(answer)")
            }
        }
        // No integers, and no values that can be a part of a key.
        for (name, value) in [
            ("number", "1.0"), ("number", "1e0"), ("number", #""1""#), ("amount", "1.0"), ("at", "1704067200"),
            ("at", "1704067200.0"), ("at", "1704067200.5"), ("at", #""2024-01-01T00:00:00Z""#),
        ] {
            let change = insert(name, value)
            try await daemon.expect(65, of: write, input: change + "\n")
            let (status, answer) = try await daemon.call(.post, "/v1/transactions", #"{"changes":[\#(change)]}"#)
            #expect(status == 400, "\(change): \(status) \(answer)")
        }
    }
}
