import Foundation
import TestSupport
import Testing
import TributaryAdmin

@testable import TributaryDaemon

/// Each route has a command of `tributaryctl`, or a reason why it has none.
@Suite struct RouteCommandTests {
    private static let withoutCommand: [String: String] = [
        "GET health": "for supervisors and load balancers, which need the status alone",
        "GET openAPI": "for programs that make a client from the description of the interface",
    ]

    /// The requests in the sources of the commands, as `GET status`.
    private static func requests() throws -> Set<String> {
        let folder = PackageFolder.path("Sources/tributaryctl")
        let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        var requests: Set<String> = []
        for file in files where file.hasSuffix(".swift") {
            let text = try Article.text(of: "Sources/tributaryctl/\(file)")
            for request in text.matches(of: /[cC]all\(\s*\.(get|post|put),\s*\.(\w+)/) {
                requests.insert("\(request.1.uppercased()) \(request.2)")
            }
            for request in text.matches(of: /options\.post\(\.(\w+)/) { requests.insert("POST \(request.1)") }
            #expect(!text.contains("\"/v1"), "\(file) has a path of its own")
        }
        return requests
    }

    @Test func eachRouteHasACommandOrAReason() throws {
        let routes = Set(RouteTable.routes.map { "\($0.method) \($0.path)" })
        let requests = try Self.requests()
        #expect(requests.count > 20)
        #expect(requests.union(Self.withoutCommand.keys) == routes)
        #expect(requests.isDisjoint(with: Self.withoutCommand.keys))
    }

    @Test func eachPathHasARoute() {
        #expect(Set(RouteTable.routes.map(\.path)) == Set(AdminPath.allCases))
    }
}
