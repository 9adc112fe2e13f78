import Foundation
import TestSupport
import Testing

/// Values of options in the forms that people write.
@Suite(.daemonTurns) struct OptionValueTests {
    @Test func valuesMayBeginWithADash() async throws {
        let daemon = try RunningDaemon()
        try await daemon.start()
        for (name, salary) in [("Ann", 3), ("Bob", 5), ("Cid", 4)] {
            let insert = ["object", "insert", "Employee", "name=\(name)", "salary=\(salary)"]
            #expect(try await daemon.command(insert).ending == .exited(0))
        }
        let list = try await daemon.command(
            ["--json", "object", "list", "Employee", "--sort", "-salary", "--where", "salary > 3"]
        )
        #expect(list.ending == .exited(0), "\(list.errors)")
        let value = try JSONSerialization.jsonObject(with: Data(list.output.utf8)) as? [String: Any]
        let names = (value?["objects"] as? [[String: Any]])?.compactMap { ($0["values"] as? [String: Any])?["name"] }
        #expect(names as? [String] == ["Bob", "Cid"], "\(list.output)")
        let negative = try await daemon.command(["object", "list", "Employee", "--where", "-1 > salary", "--count"])
        #expect(negative.ending == .exited(0) && negative.output == "0\n", "\(negative)")
        _ = await daemon.stop()
    }
}
