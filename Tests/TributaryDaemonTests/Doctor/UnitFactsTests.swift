import Testing

@testable import TributaryDaemon

/// What a unit lets its service do, as `systemctl show` tells it.
struct UnitFactsTests {
    private func unit(_ changes: [String: String] = [:]) -> UnitFacts {
        let standard = [
            "LoadState": "loaded", "User": "tributary", "StateDirectory": "tributary", "ProtectSystem": "strict",
            "ProtectHome": "yes", "PrivateTmp": "yes", "ReadWritePaths": "", "PrivateNetwork": "yes",
        ]
        return UnitFacts(name: "tributaryd.service", properties: standard.merging(changes) { $1 })
    }

    @Test func aUnitThatIsNotInstalledIsNone() {
        #expect(UnitFacts(name: "a.service", shown: "LoadState=not-found\nUser=\n") == nil)
        let facts = UnitFacts(name: "a.service", shown: "LoadState=loaded\nActiveState=active\nUser=ann=b\n")
        #expect(facts?.user == "ann=b")
        #expect(facts?.isActive == true)
    }

    @Test(arguments: [
        ("/etc/tributary/tributary.yaml", "tributaryd.service"),
        ("/etc/tributary/shop.yaml", "tributaryd@shop.service"),
        ("/etc/tributary/a/b.yaml", nil), ("/root/tributary.yaml", nil), ("/etc/tributary/.yaml", nil),
    ])
    func theUnitOfAConfigurationFile(_ path: String, _ name: String?) {
        #expect(UnitFacts.name(configuredBy: path) == name)
    }

    @Test func theSandboxIsInTheWay() {
        #expect(unit().obstacle(at: "/var/lib/tributary/store.sqlite") == nil)
        #expect(unit().obstacle(at: "/var/lib/tributary") == nil)
        #expect(unit().obstacle(at: "/var/lib/tributary-shop") == .readOnly)
        #expect(unit().obstacle(at: "/srv/tributary") == .readOnly)
        #expect(unit().obstacle(at: "/root/logs") == .hidden(by: "ProtectHome"))
        #expect(unit().obstacle(at: "/tmp/logs") == .hidden(by: "PrivateTmp"))
        let opened = unit(["ReadWritePaths": "-/srv/tributary +/data"])
        #expect(opened.obstacle(at: "/srv/tributary/deep") == nil)
        #expect(opened.obstacle(at: "/data") == nil)
        #expect(opened.obstacle(at: "/srv/other") == .readOnly)
        #expect(unit(["ProtectHome": "no"]).obstacle(at: "/root") == .readOnly)
        #expect(unit(["ProtectSystem": "full"]).obstacle(at: "/srv/tributary") == nil)
    }

    @Test func aDropInOpensFolders() {
        #expect(unit().dropIn(opening: ["/srv/a"]) == "[Service]\nReadWritePaths=/srv/a\n")
        let home = unit().dropIn(opening: ["/root/logs"])
        #expect(home == "[Service]\nReadWritePaths=/root/logs\nProtectHome=no\n")
    }
}
