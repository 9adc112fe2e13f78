import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryClient

@Suite("Bad requests and bad clients", .serialized, .daemonTurns)
struct BadRequestTests {
    @Test("mistakes get problem documents and harm nobody", .timeLimit(.minutes(30)))
    func mistakes() async throws {
        let daemon = try await RunningDaemon.started()
        let table: [(AdminCall.Method, String, String?, Int)] = [
            (.get, "/v1/objects/Nobody", nil, 404), (.get, "/v1/objects/Employee?where=salary%20%3E%3E%201", nil, 400),
            (.get, "/v1/objects/Employee?colour=red", nil, 400), (.get, "/v1/objects/Employee?limit=0", nil, 400),
            (.get, "/v1/objects/Employee?sort=nothing", nil, 400), (.get, "/v1/objects/Employee?where=%zz", nil, 400),
            (.get, "/v1/objects/Employee/no-uuid", nil, 400), (.get, "/v1/nothing", nil, 404),
            (.put, "/v1/status", "{}", 405), (.post, "/v1/transactions", "{\"changes\":", 400),
            (.post, "/v1/transactions", "{}", 400), (.post, "/v1/transactions", "[]", 400),
            (.post, "/v1/transactions", "{\"changes\":[{\"insert\":\"Nobody\",\"values\":{}}]}", 422),
            (.post, "/v1/transactions", String(repeating: "[", count: 10_000), 400),
            (.get, "/v1/history?after=nonsense", nil, 400), (.get, "/v1/history?after=5@somebody", nil, 410),
            (.post, "/v1/compact?dryRun=odd", nil, 400), (.get, "/v1/segments?state=odd", nil, 400),
            (.put, "/v1/log-level", "{\"level\":\"loud\"}", 400), (.post, "/v1/pause", "{\"forSeconds\":-1}", 400),
            (.post, "/v1/segments/5f0c0000-0000-4000-8000-000000000001/1-2/retry", nil, 400),
        ]
        for (method, target, body, status) in table {
            let answer = try await daemon.call(method, target, body)
            #expect(answer.0 == status, "\(method) \(target): \(answer)")
            #expect((answer.1["type"] as? String)?.hasPrefix("urn:tributary:problem:") == true, "\(target)")
        }
        // Nobody would read these members: each one is refused, with the known ones.
        let id = "0190f1a2-0000-7000-8000-00000000000a"
        let bodies: [(AdminCall.Method, String, String, String)] = [
            (.post, "/v1/pause", #"{"for":"2s"}"#, "takes forSeconds"),
            (.post, "/v1/check", #"{"mend":true}"#, "takes repair"),
            (.put, "/v1/log-level", #"{"level":"debug","for":60}"#, "takes level"),
            (.post, "/v1/compact", #"{"dryRun":true}"#, "takes none"),
            (.post, "/v1/transactions", #"{"changes":[{"delete":"Employee","id":"\#(id)"}],"key":1}"#, "takes changes"),
            (
                .post, "/v1/transactions", #"{"changes":[{"update":"Employee","id":"\#(id)","value":{"name":"A"}}]}"#,
                "'update' takes id, ifVersion, update, values"
            ),
        ]
        for (method, target, body, known) in bodies {
            let answer = try await daemon.call(method, target, body)
            #expect(answer.0 == 400 && answer.1["type"] as? String == ProblemKind.unknownMember.type, "\(answer)")
            #expect((answer.1["detail"] as? String)?.contains(known) == true, "\(answer)")
        }
        #expect(try await daemon.call(.get, "/v1/status").1["state"] as? String == "running")
        let predicate = try await daemon.call(.get, "/v1/objects/Employee?where=name%20%3D%3D%20%3D%3D").1
        #expect(predicate["position"] is Int, "\(predicate)")
        try await daemon.expect(66, of: ["object", "list", "Nobody"])
        try await daemon.expect(64, of: ["object", "list", "Employee", "--where", "salary >"])
    }

    @Test("20 MiB, no HTTP at all, a client that hangs up, and 200 at once", .timeLimit(.minutes(30)))
    func clients() async throws {
        let daemon = try await RunningDaemon.started()
        let large = try await daemon.client.send(
            AdminCall(.post, "/v1/transactions", body: [UInt8](repeating: UInt8(ascii: " "), count: 20 << 20))
        )
        #expect(large.status == 413)

        let noHTTP = try RawConnection(daemon.socket)
        noHTTP.send("this is not HTTP\r\n\r\n")
        let refusal = noHTTP.readToEnd()
        #expect(refusal.hasPrefix("HTTP/1.1 400"))
        #expect(refusal.contains("content-type: application/problem+json\r\n"))
        #expect(refusal.contains("urn:tributary:problem:bad-request"), "\(refusal)")
        for part in [
            "GET /v1/objects/Employee HTTP/1.1\r\nHo", "POST /v1/transactions HTTP/1.1\r\ncontent-length: 999\r\n\r\n{",
        ] {
            let hangsUp = try RawConnection(daemon.socket)
            hangsUp.send(part)
            hangsUp.close()
        }

        let answers = await withTaskGroup(of: String.self) { group in
            let client = daemon.client
            for number in 0..<200 {
                group.addTask {
                    let target = number % 2 == 0 ? "/v1/status" : "/v1/objects/Employee?limit=5"
                    do {
                        let answer = try await client.send(AdminCall(.get, target))
                        return answer.status == 200 ? "200" : "\(answer.status) \(answer.text)"
                    } catch {
                        return "\(error)"
                    }
                }
            }
            return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        #expect(answers == ["200": 200])
        #expect(try await daemon.call(.get, "/v1/health").0 == 200)
    }

    @Test(
        "a client that reads nothing does not hold others up, and followers get bye at the stop",
        .timeLimit(.minutes(30))
    )
    func slowClient() async throws {
        let daemon = try await RunningDaemon.started()
        let slow = try RawConnection(daemon.socket)
        slow.send("GET /v1/changes HTTP/1.1\r\nhost: x\r\n\r\n")
        let client = daemon.client
        let (greeted, greeting) = AsyncStream<Void>.makeStream()
        let follower = Task {
            defer { greeting.finish() }
            var events: [String] = []
            _ = try await client.events(AdminCall(.get, .changes)) { event in
                events.append(event.event)
                greeting.finish()
                return event.event != "bye"
            }
            return events
        }
        for await _ in greeted {}
        for round in 0..<30 {
            try await daemon.save((0..<200).map { _ in #"{"insert":"Employee","values":{"name":"\#(round)"}}"# })
        }
        #expect(try await daemon.count("Employee") == 6_000)
        slow.close()
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
        let events = try await follower.value
        #expect(events.first == "hello")
        #expect(events.contains("storeDidUpdate"))
        #expect(events.last == "bye")
    }
}
