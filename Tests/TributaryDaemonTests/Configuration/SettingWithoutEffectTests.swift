import TestSupport
import Testing
import TributaryAdmin
import TributarySync

@testable import TributaryDaemon

/// A setting that does nothing on this machine is told with the commands that change this.
@Suite struct SettingWithoutEffectTests {
    private func load(_ yaml: String) throws -> Configuration {
        let folder = try TemporaryFolder("settings")
        try folder.write(yaml, to: "t.yaml")
        var configuration = try Configuration.load(
            ConfigurationSources(
                file: folder.path("t.yaml"),
                environment: ["HOME": "/h"],
                hostName: "till-12",
                workingDirectory: "/"
            )
        )
        configuration.lookUpGroups()
        return configuration
    }

    @Test func aListenerWithoutANetworkNamesTheDropIn() throws {
        let configuration = try load("admin: {listen: \"127.0.0.1:9417\"}")
        #expect(configuration.settingsWithoutEffect(hasNetwork: true, unit: "tributaryd.service") == [])
        let problems = configuration.settingsWithoutEffect(hasNetwork: false, unit: "tributaryd@shop.service")
        #expect(problems.map(\.code) == [.settingWithoutEffect])
        #expect(problems.first?.detail.contains("nothing listens on 127.0.0.1:9417") == true, "\(problems)")
        #expect(
            problems.first?.hint
                == "sudo install -m 644 -D /usr/share/tributary/network.conf "
                + "/etc/systemd/system/tributaryd@shop.service.d/network.conf && sudo systemctl daemon-reload && "
                + "sudo systemctl restart tributaryd@shop.service"
        )
        #expect(try load("").settingsWithoutEffect(hasNetwork: false, unit: "tributaryd.service") == [])
    }

    @Test func aGroupThatIsNotThereIsNamed() throws {
        let configuration = try load("admin: {writers: [root, no-such-clerks]}")
        let problems = configuration.settingsWithoutEffect(hasNetwork: true, unit: "tributaryd.service")
        #expect(problems.map(\.detail) == ["admin.writers: this machine does not have the group 'no-such-clerks'."])
        #expect(problems.first?.hint?.contains("sudo groupadd --system no-such-clerks") == true)
        let misspelt = try load("admin: {writers: [rooot]}")
        let detail = misspelt.settingsWithoutEffect(hasNetwork: true, unit: "tributaryd.service").first?.detail
        #expect(detail?.hasSuffix("the group 'rooot'; is 'root' meant?") == true, "\(detail ?? "")")
    }
}
