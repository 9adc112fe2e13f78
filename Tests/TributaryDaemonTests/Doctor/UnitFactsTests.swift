import TestSupport
import Testing
import TributaryAdmin

@testable import TributaryDaemon

/// What a unit lets its service do, as `systemctl show` tells it.
struct UnitFactsTests {
    private func unit(_ changes: [String: String] = [:]) throws -> UnitFacts {
        let standard = [
            "LoadState": "loaded", "User": "tributary", "StateDirectory": "tributary", "ProtectSystem": "strict",
            "ProtectHome": "yes", "PrivateTmp": "yes", "ReadWritePaths": "", "PrivateNetwork": "yes",
        ]
        return try #require(
            UnitFacts(UnitProperties(unit: "tributaryd.service", values: standard.merging(changes) { $1 }))
        )
    }

    @Test func aUnitThatIsNotInstalledIsNone() {
        #expect(UnitFacts(UnitProperties(unit: "a.service", shown: "LoadState=not-found\nUser=\n")) == nil)
        let shown = "LoadState=loaded\nActiveState=active\nUser=ann=b\n"
        let facts = UnitFacts(UnitProperties(unit: "a.service", shown: shown))
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

    @Test func theSandboxIsInTheWay() throws {
        #expect(try unit().obstacle(at: "/var/lib/tributary/store.sqlite") == nil)
        #expect(try unit().obstacle(at: "/var/lib/tributary") == nil)
        #expect(try unit().obstacle(at: "/var/lib/tributary-shop") == .readOnly)
        #expect(try unit().obstacle(at: "/srv/tributary") == .readOnly)
        #expect(try unit().obstacle(at: "/root/logs") == .hidden(by: "ProtectHome"))
        #expect(try unit().obstacle(at: "/tmp/logs") == .hidden(by: "PrivateTmp"))
        let opened = try unit(["ReadWritePaths": "-/srv/tributary +/data"])
        #expect(opened.obstacle(at: "/srv/tributary/deep") == nil)
        #expect(opened.obstacle(at: "/data") == nil)
        #expect(opened.obstacle(at: "/srv/other") == .readOnly)
        #expect(try unit(["ProtectHome": "no"]).obstacle(at: "/root") == .readOnly)
        #expect(try unit(["ProtectSystem": "full"]).obstacle(at: "/srv/tributary") == nil)
    }

    @Test func aDropInOpensFolders() throws {
        #expect(try unit().dropIn(opening: ["/srv/a"]) == "[Service]\nReadWritePaths=/srv/a\n")
        let home = try unit().dropIn(opening: ["/root/logs"])
        #expect(home == "[Service]\nReadWritePaths=/root/logs\nProtectHome=no\n")
    }

    @Test func aWordOfAUnitFileMayHaveSpaces() throws {
        #expect(try unit().dropIn(opening: ["/srv/my a%b"]) == "[Service]\nReadWritePaths=\"/srv/my a%%b\"\n")
        let opened = try unit(["ReadWritePaths": #""/srv/my store" /data"#])
        #expect(opened.obstacle(at: "/srv/my store/a") == nil)
        #expect(opened.obstacle(at: "/data") == nil)
        #expect(opened.obstacle(at: "/srv/my") == .readOnly)
    }

    /// A store that is moved twice, or back: the unit starts although a former folder is missing, and homes stay visible.
    @Test func aDropInKeepsWhatItHad() throws {
        let first = try unit().dropIn(opening: ["/root/a"])
        let second = try unit(["ProtectHome": "no"]).dropIn(opening: ["/root/b c"], keeping: first)
        #expect(second == "[Service]\nReadWritePaths=\"/root/b c\"\nReadWritePaths=-/root/a\nProtectHome=no\n")
        let third = try unit(["ProtectHome": "no"]).dropIn(opening: [], keeping: second)
        #expect(third == "[Service]\nReadWritePaths=\"-/root/b c\"\nReadWritePaths=-/root/a\nProtectHome=no\n")
    }

    /// The service does not see the variables of the shell in which a check is typed.
    @Test func theVariablesOfTheUnitHold() throws {
        let unit = try unit(["Environment": #"LC_ALL=C TRIBUTARY_STORE=/srv/a.sqlite "TRIBUTARY_NAME=a b""#])
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

    /// A reload changes the state twice: the service has been active since its start.
    @Test func aReloadIsNoStart() {
        let shown = "ActiveState=active\nActiveEnterTimestamp=Mon 10:00\nStateChangeTimestamp=Mon 12:00\n"
        #expect(UnitProperties(unit: "a.service", shown: shown).since == "Mon 10:00")
        let failed = shown.replacing("=active", with: "=failed")
        #expect(UnitProperties(unit: "a.service", shown: failed).since == "Mon 12:00")
    }

    @Test func filesOfVariablesHavePrecedence() throws {
        let folder = try TemporaryFolder("environment")
        try folder.write(
            "# TRIBUTARY_LOGS=/no\nTRIBUTARY_STORE = /srv/t.sqlite\nLC_ALL=C\nTRIBUTARY_NAME=\"a b\"\n",
            to: "a"
        )
        try folder.write("TRIBUTARY_NAME='c'\n", to: "b c")
        let (first, second, gone) = (folder.path("a"), folder.path("b c"), folder.path("gone"))
        let files = [first, second, gone].map { "EnvironmentFiles=\($0) (ignore_errors=no)\n" }.joined()
        let shown = "LoadState=loaded\nEnvironment=TRIBUTARY_NAME=d TRIBUTARY_STORE=/srv/s.sqlite\n" + files
        let unit = try #require(UnitFacts(UnitProperties(unit: "tributaryd.service", shown: shown)))
        #expect(unit.variables == ["TRIBUTARY_NAME": "c", "TRIBUTARY_STORE": "/srv/t.sqlite"])
        #expect(unit.variableSources.map(\.source) == [second, first])
        #expect(unit.unreadableFiles == [gone])
    }

    @Test(arguments: [
        ("tributaryd.service", "tributaryd --config /etc/tributary/tributary.yaml", false),
        ("tributaryd@shop.service", "/usr/bin/tributaryd --config /etc/tributary/shop.yaml", false),
        ("tributaryd.service", "/usr/bin/tributaryd --config /etc/tributary/shop.yaml", true),
        ("tributaryd.service", "tributaryd --config /etc/tributary/tributary.yaml --store /srv/s.sqlite", true),
    ])
    func anotherCommandOfTheUnit(_ name: String, _ command: String, _ isOther: Bool) {
        let start = "{ path=/usr/bin/tributaryd ; argv[]=\(command) ; ignore_errors=no ; start_time=[n/a] }"
        let unit = UnitFacts(UnitProperties(unit: name, values: ["LoadState": "loaded", "ExecStart": start]))
        #expect(unit?.otherCommand?.found == (isOther ? command : nil))
        #expect(unit?.socket == (name.contains("@") ? "/run/tributary/shop.sock" : "/run/tributary/admin.sock"))
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
        #expect(run.output.utf8.count == 300_000 && run.errors.utf8.count == 300_000)
    }

    @Test(arguments: ["yes", "yes >&2", "trap '' TERM; while echo y; do :; done"])
    func aProgramThatPrintsWithoutEndIsEnded(_ script: String) throws {
        let run = try CommandRun(["sh", "-c", script])
        #expect(run.status != 0)
        #expect(max(run.output.utf8.count, run.errors.utf8.count) == CommandRun.limit)
    }

    /// The move of a large store copies for longer than any query takes, so a time limit is for queries alone.
    @Test func aQueryThatDoesNotEndIsEnded() throws {
        let run = try CommandRun(["sleep", "infinity"], timeLimit: .milliseconds(50))
        #expect(run.status != 0)
        #expect(try CommandRun(["sh", "-c", "echo done"], timeLimit: nil).output == "done\n")
    }

    @Test func aWarningIsNoFactOfAUnit() throws {
        let run = try CommandRun(["sh", "-c", "echo User=other >&2; echo User=tributary"])
        #expect(UnitProperties(unit: "a.service", shown: run.output)["User"] == "tributary")
    }

    /// Who can change the search path of root's command could otherwise have root run each program.
    @Test func rootRunsNoProgramFromTheSearchPathOfTheCaller() {
        let system = CommandRun.searchPath(ofCaller: nil, isRoot: true)
        #expect(CommandRun.searchPath(ofCaller: "/srv/ann/bin", isRoot: true) == system)
        #expect(CommandRun.searchPath(ofCaller: "/srv/ann/bin", isRoot: false) == "/srv/ann/bin:\(system)")
    }
}
