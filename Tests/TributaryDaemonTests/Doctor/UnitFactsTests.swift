import TestSupport
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

    @Test func aWordOfAUnitFileMayHaveSpaces() {
        #expect(unit().dropIn(opening: ["/srv/my a%b"]) == "[Service]\nReadWritePaths=\"/srv/my a%%b\"\n")
        let opened = unit(["ReadWritePaths": #""/srv/my store" /data"#])
        #expect(opened.obstacle(at: "/srv/my store/a") == nil)
        #expect(opened.obstacle(at: "/data") == nil)
        #expect(opened.obstacle(at: "/srv/my") == .readOnly)
    }

    /// A store that is moved twice, or back: the unit starts although a former folder is missing, and homes stay visible.
    @Test func aDropInKeepsWhatItHad() {
        let first = unit().dropIn(opening: ["/root/a"])
        let second = unit(["ProtectHome": "no"]).dropIn(opening: ["/root/b c"], keeping: first)
        #expect(second == "[Service]\nReadWritePaths=\"/root/b c\"\nReadWritePaths=-/root/a\nProtectHome=no\n")
        let third = unit(["ProtectHome": "no"]).dropIn(opening: [], keeping: second)
        #expect(third == "[Service]\nReadWritePaths=\"-/root/b c\"\nReadWritePaths=-/root/a\nProtectHome=no\n")
    }

    /// The service does not see the variables of the shell in which a check is typed.
    @Test func theVariablesOfTheUnitHold() {
        let unit = unit(["Environment": #"LC_ALL=C TRIBUTARY_STORE=/srv/a.sqlite "TRIBUTARY_NAME=a b""#])
        #expect(unit.variables == ["TRIBUTARY_STORE": "/srv/a.sqlite", "TRIBUTARY_NAME": "a b"])
        let sources = ConfigurationSources(
            environment: ["HOME": "/root", "TRIBUTARY_LOGS": "/tmp/logs", "TRIBUTARY_STORE": "/tmp/store"],
            hostName: "till",
            workingDirectory: "/"
        )
        let examined = sources.examined(as: unit).environment
        #expect(examined == ["HOME": "/root", "TRIBUTARY_STORE": "/srv/a.sqlite", "TRIBUTARY_NAME": "a b"])
        #expect(sources.examined(as: nil).environment == sources.environment)
    }

    /// SQLite would apply the write-ahead log of an earlier store to the store that moves there.
    @Test func whatIsLeftOfAStoreIsFound() throws {
        let folder = try TemporaryFolder("move")
        for name in ["store.sqlite-wal", "store.sqlite.before-restore-1", "store.sqlite3", "other.sqlite-key"] {
            try folder.write("", to: name)
        }
        #expect(try StoreMove.files(ofStore: "store.sqlite", in: folder.path) == ["store.sqlite-wal"])
    }

    /// A program may print more than a pipe holds to both of its outputs.
    @Test func aProgramMayPrintMuch() throws {
        let run = try CommandRun(["sh", "-c", "yes | head -c 300000 >&2; yes | head -c 300000; exit 3"])
        #expect(run.status == 3)
        #expect(run.output.utf8.count == 600_000)
    }
}
