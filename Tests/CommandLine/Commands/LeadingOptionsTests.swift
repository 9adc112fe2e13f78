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

    @Test func theVersionIsAnOption() async throws {
        let answer = try await Answer(of: ["--version"], in: TemporaryFolder("version"))
        #expect(answer.ending == .exited(0) && answer.output.hasPrefix("tributaryctl "), "\(answer)")
    }
}
