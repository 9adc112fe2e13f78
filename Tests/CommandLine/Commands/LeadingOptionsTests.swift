import TestSupport
import Testing

/// Options before the verb, as the unit files have them: `tributaryctl --socket PATH verb`.
@Suite struct LeadingOptionsTests {
    @Test(arguments: [
        ["--socket", "/nowhere/a.sock", "status"], ["status", "--socket", "/nowhere/a.sock"],
        ["--json", "--socket=/nowhere/a.sock", "reload"],
        ["-o", "json", "--socket", "/nowhere/a.sock", "--timeout", "5", "status", "-w"],
    ])
    func optionsStandOnEitherSideOfTheVerb(_ arguments: [String]) async throws {
        let answer = try await Answer(of: arguments, in: TemporaryFolder("options"))
        #expect(answer.ending == .exited(69) && answer.errors.contains("/nowhere/a.sock"), "\(answer)")
    }

    @Test(arguments: [
        (["statsu"], "is 'tributaryctl status' meant?"), (["object", "lst"], "is 'tributaryctl object list' meant?"),
        (["frobnicate"], "tributaryctl --help"), (["ls"], "tributaryctl object list ENTITY"),
        (["list", "Employee"], "tributaryctl object list ENTITY"), (["get"], "tributaryctl object get ENTITY ID"),
        (["insert"], "is 'tributaryctl object insert' meant?"), (["logs"], "journalctl -u tributaryd.service"),
        (["stop"], "systemctl stop tributaryd.service"), (["restart"], "systemctl restart tributaryd.service"),
        (["--instance", "shop", "restart"], "systemctl restart tributaryd@shop.service"),
        (["restart", "--instance=shop"], "systemctl restart tributaryd@shop.service"),
    ])
    func aMistypedVerbIsNamedWithTheOneThatIsMeant(_ arguments: [String], _ text: String) async throws {
        let answer = try await Answer(of: arguments, in: TemporaryFolder("verbs"))
        #expect(answer.ending == .exited(64) && answer.errors.contains(text), "\(answer)")
    }

    /// An error of the arguments has the form of all others: the mistake, then the command to type.
    @Test(arguments: [
        (["object", "get"], "missing expected argument '<entity>'\n", "object get"),
        (["status", "--bare"], "unknown option '--bare'", "status"),
        (["history", "--limit", "x"], "the value 'x' is invalid for '--limit <limit>'\n", "history"),
        (["restore"], "give either a backup or --from-logs\n", "restore"),
    ])
    func aUsageErrorHasTheFormOfAllErrors(_ arguments: [String], _ text: String, _ command: String) async throws {
        let answer = try await Answer(of: arguments, in: TemporaryFolder("usage"))
        #expect(answer.ending == .exited(64) && answer.errors.hasPrefix("tributaryctl: \(text)"), "\(answer)")
        #expect(answer.errors.hasSuffix("\nhint: tributaryctl \(command) --help\n"), "\(answer)")
    }

    @Test func theVersionIsAnOption() async throws {
        let answer = try await Answer(of: ["--version"], in: TemporaryFolder("version"))
        #expect(answer.ending == .exited(0) && answer.output.hasPrefix("tributaryctl "), "\(answer)")
    }
}
