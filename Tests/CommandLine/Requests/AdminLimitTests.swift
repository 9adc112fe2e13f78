import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryClient

/// The number of clients, the length of answers and what waits for a client are limited.
@Suite(.daemonTurns) struct AdminLimitTests {
    @Test(.timeLimit(.minutes(30))) func connectionsPastTheLimitAreRefusedWithAReason() async throws {
        let daemon = try await RunningDaemon.started()
        var connections: [RawConnection] = []
        var refusal = ""
        // The daemon sends nothing on idle connections, and a refusal on the first one beyond the limit.
        while refusal.isEmpty, connections.count < 2_000 {
            // The daemon closes an idle connection after a minute, which is less than reading them all in sequence may
            // take.
            let added = try (0..<64).map { _ in try RawConnection(daemon.socket) }
            for connection in added { connection.send("GET /v1/health HTTP/1.1\r\nhost: localhost\r\n\r\n") }
            for connection in added {
                let answer = try await onThread { connection.read() }
                if answer.hasPrefix("HTTP/1.1 200") {
                    connections.append(connection)
                } else if refusal.isEmpty {
                    refusal = answer
                }
            }
        }
        #expect(refusal.hasPrefix("HTTP/1.1 503 "), "\(refusal)")
        #expect(refusal.contains("urn:tributary:problem:too-many-clients"), "\(refusal)")
        #expect(connections.count >= 256, "the clients that may follow the changes fit")
        // The daemon responds on an existing connection, and imports.
        connections.last?.send("GET /v1/status HTTP/1.1\r\nhost: localhost\r\n\r\n")
        #expect(connections.last?.read().hasPrefix("HTTP/1.1 200") == true)
        connections = []
    }

    private static func inserts(_ count: Int, name: String = "Ann") -> [String] {
        Array(repeating: #"{"insert":"Employee","values":{"name":"\#(name)"}}"#, count: count)
    }

    /// One object with more links than a list has, whose objects need more than 4 MiB.
    @Test(.timeLimit(.minutes(30))) func theLinksOfOneObjectComeInPages() async throws {
        let daemon = try await RunningDaemon.started()
        let department = "0190f1a2-0000-7000-8000-0000000000dd"
        let name = String(repeating: "x", count: 6_000)
        let employee = #"{"insert":"Employee","values":{"name":"\#(name)","department":"\#(department)"}}"#
        let changes =
            [#"{"insert":"Department","id":"\#(department)","values":{}}"#] + Array(repeating: employee, count: 1_005)
        try await daemon.save(changes)
        let path = "/v1/objects/Department/\(department)?include=employees"
        var (ids, sizes): (Set<String>, [Int]) = ([], [])
        var after = ""
        repeat {
            let page = try await daemon.call(.get, path + after).1
            let links = try #require((page["values"] as? [String: Any])?["employees"] as? [String], "\(page.keys)")
            let included = try #require(page["included"] as? [[String: Any]])
            #expect(included.map { $0["id"] as? String } == links)
            #expect(ids.isDisjoint(with: links))
            ids.formUnion(links)
            sizes.append(links.count)
            after = (page["next"] as? String).map { "&after=\($0)" } ?? ""
        } while !after.isEmpty
        #expect(ids.count == 1_005 && sizes == [500, 505], "\(sizes)")
        let few = try await daemon.command([
            "object", "get", "Department", department, "--include", "employees", "-n", "2",
        ])
        #expect(few.output.contains("more: --after 2\n"), "\(few.output)")
        let list = try await daemon.call(.get, "/v1/objects/Department?include=employees").1
        let first = try #require((list["objects"] as? [[String: Any]])?.first)
        #expect(first["next"] as? String == "500")
    }

    /// A page of a list ends where the objects that it includes are as many as an answer has.
    @Test(.timeLimit(.minutes(30))) func aPageIncludesAllThatItsObjectsLink() async throws {
        let daemon = try await RunningDaemon.started()
        for number in 1...3 {
            let department = "0190f1a2-0000-7000-8000-0000000000d\(number)"
            let employee = #"{"insert":"Employee","values":{"name":"Ann","department":"\#(department)"}}"#
            let changes =
                [#"{"insert":"Department","id":"\#(department)","values":{}}"#] + Array(repeating: employee, count: 450)
            try await daemon.save(changes)
        }
        var sizes: [Int] = []
        var after = ""
        repeat {
            let page = try await daemon.call(.get, "/v1/objects/Department?include=employees" + after).1
            let objects = try #require(page["objects"] as? [[String: Any]])
            let links = objects.flatMap { ($0["values"] as? [String: Any])?["employees"] as? [String] ?? [] }
            let included = try #require(page["included"] as? [[String: Any]])
            #expect(Set(included.compactMap { $0["id"] as? String }) == Set(links))
            sizes.append(included.count)
            after = (page["next"] as? String).map { "&after=\($0)" } ?? ""
        } while !after.isEmpty
        #expect(sizes == [900, 450])
    }

    @Test(.timeLimit(.minutes(30))) func longListsComeInPages() async throws {
        let daemon = try await RunningDaemon.started()
        for count in [2, 25_000, 3] { try await daemon.save(Self.inserts(count)) }
        var counts: [Int: Int] = [:]
        var ids: Set<String> = []
        var after = ""
        repeat {
            let page = try await daemon.call(.get, "/v1/history?limit=1000" + after).1
            let transactions = try #require(page["transactions"] as? [[String: Any]], "\(page)")
            let changes = transactions.map { $0["changes"] as? [[String: Any]] ?? [] }
            #expect((1...10_000).contains(changes.joined().count))
            for (transaction, changes) in zip(transactions, changes) {
                counts[transaction["number"] as? Int ?? 0, default: 0] += changes.count
                ids.formUnion(changes.compactMap { $0["id"] as? String })
            }
            #expect((transactions.last?["more"] != nil) == ((page["next"] as? String)?.contains(":") ?? false))
            after = (page["next"] as? String).map { "&after=\($0)" } ?? ""
        } while !after.isEmpty
        #expect(counts.sorted { $0.key < $1.key }.map(\.value) == [2, 25_000, 3] && ids.count == 25_005, "\(counts)")
        #expect(try await daemon.call(.get, "/v1/history?after=1@somebody:x").0 == 410)

        // A list of objects ends early when their values are long.
        for _ in 0..<6 {
            try await daemon.save(Self.inserts(2, name: String(repeating: "n", count: 1 << 20)))
        }
        var lengths: [Int] = []
        after = ""
        repeat {
            let target = "/v1/objects/Employee?limit=1000&where=name%20BEGINSWITH%20'nn'" + after
            let answer = try await daemon.client.send(AdminCall(.get, target))
            #expect(answer.body.count < 8 << 20, "\(answer.body.count)")
            let page = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
            lengths.append((page?["objects"] as? [Any])?.count ?? 0)
            after = (page?["next"] as? String).map { "&after=\($0)" } ?? ""
        } while !after.isEmpty
        #expect(lengths.reduce(0, +) == 12 && lengths.count > 1, "\(lengths)")
    }

    @Test(.timeLimit(.minutes(30))) func aFollowerThatDoesNotReadIsToldThatEverythingChanged() async throws {
        let daemon = try await RunningDaemon.started()
        let (slow, silent) = (try RawConnection(daemon.socket), try RawConnection(daemon.socket))
        for follower in [slow, silent] { follower.send("GET /v1/changes HTTP/1.1\r\nhost: localhost\r\n\r\n") }
        #expect(slow.read().hasPrefix("HTTP/1.1 200"))
        for _ in 0..<20 { try await daemon.save(Self.inserts(1_000)) }
        let text = try await onThread {
            var text = ""
            while !text.contains("everything"), !text.contains("collapsed") { text += slow.read() }
            return text
        }
        #expect(text.contains(#""everything":true"#) && text.utf8.count < 1 << 20, "\(text.suffix(200))")
        // The other one still reads nothing, and is not waited for.
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
        #expect(try daemon.secondsOfStop() < 4, "\(daemon.log)")
        withExtendedLifetime(silent) {}
    }
}
