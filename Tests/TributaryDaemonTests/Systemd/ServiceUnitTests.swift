import Testing

@testable import TributaryDaemon

/// The unit of a process is determined from its control groups.
@Suite struct ServiceUnitTests {
    @Test func aServiceIsFoundInWhicheverHierarchyItIs() throws {
        let unified = try #require(ServiceUnit(controlGroups: "0::/system.slice/tributaryd.service\n"))
        #expect(unified.restartCommand == "systemctl restart tributaryd.service")
        let instance = "9:name=systemd:/\n1:cpu:/\n0::/system.slice/system-tributaryd.slice/tributaryd@shop.service\n"
        #expect(ServiceUnit(controlGroups: instance)?.restartCommand == "systemctl restart tributaryd@shop.service")
        let user = "0::/user.slice/user-1000.slice/user@1000.service/app.slice/tributaryd.service\n"
        #expect(ServiceUnit(controlGroups: user)?.restartCommand == "systemctl --user restart tributaryd.service")
    }

    @Test(arguments: ["", "0::/\n", "0::/user.slice/user-0.slice/session-1.scope\n", ":::\n", "nonsense"])
    func aProcessThatIsNoServiceHasNone(_ text: String) {
        #expect(ServiceUnit(controlGroups: text) == nil)
    }
}
