import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributarySync

@testable import TributaryDaemon

/// Each key sets its own field, and its flag and its variable set that field too.
@Suite struct ConfigurationKeyTests {
    /// A value of each key that is not the default, as `config show` prints it.
    private static let values: KeyValuePairs = [
        "name": "till-13", "store": "/a/store.sqlite", "model": "/a/model.yaml", "logs": "/a/logs",
        "logs.max_bytes": "3GiB",
        "merge.debounce": "2s", "merge.ceiling": "6s", "merge.saves": "false", "export.enabled": "false",
        "export.debounce": "1500ms", "export.segment_bytes": "3KiB", "export.acknowledge": "2h",
        "watch.rescan": "90s", "watch.incomplete_grace": "2m", "import.slice_changes": "7", "import.memory": "1GiB",
        "identity.reboot": "trust", "clock.max_ahead": "1d", "trust.mode": "known", "trust.pin_first": "true",
        "trust.keys": "[\"3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c\"]",
        "encryption.key_file": "/a/keys", "encryption.required": "true",
        "history.keep": "36500d", "migration.allow_loss": "true",
        "retention.keep_segments": "1ms", "disk.warn_days": "9", "disk.warn_free": "5GiB",
        "replicator.syncthing.url": "\"http://127.0.0.1:8385\"",
        "replicator.syncthing.key_file": "/a/key", "replicator.syncthing.folder": "tills",
        "admin.socket": "/a/admin.sock", "admin.writers": "[clerks, managers]",
        "admin.listen": "\"127.0.0.1:9417\"", "admin.page": "everything",
        "shutdown.timeout": "10s", "log.level": "debug",
    ]

    private func load(
        yaml: String = "",
        flags: [String: String] = [:],
        environment: [String: String] = [:]
    ) throws -> Configuration {
        let folder = try TemporaryFolder("keys")
        try folder.write(yaml, to: "t.yaml")
        return try Configuration.load(
            ConfigurationSources(
                flags: flags,
                file: folder.path("t.yaml"),
                environment: ["HOME": "/h"].merging(environment) { $1 },
                hostName: "till-12",
                workingDirectory: "/"
            )
        )
    }

    @Test func eachKeyHasAValueHere() {
        #expect(Self.values.map(\.key) == ConfigurationKey.all.map(\.name))
        #expect(Set(ConfigurationKey.all.map(\.field)).count == Self.values.count)
    }

    @Test(arguments: ConfigurationKey.all)
    func aKeySetsItsFieldAlone(_ key: ConfigurationKey) throws {
        let value = try #require(Self.values.first { $0.key == key.name }?.value)
        let words = key.name.split(separator: ".")
        let yaml = words.dropLast().reversed().reduce("\(words[words.count - 1]): \(value)") { "\($1): {\($0)}" }
        let configuration = try load(yaml: yaml)
        let standard = try load()
        // The socket of a user is beside the store.
        let changed = configuration.differences(from: standard).map(\.name).filter {
            $0 != "admin.socket" || $0 == key.name
        }
        #expect(changed == [key.name])
        #expect(key.text(configuration) == value.replacing("\"", with: ""))
        #expect(configuration[originOf: key.field].word == "file")
        #expect(standard[originOf: key.field] == .standard)
    }

    /// The path may stand alone, or beside the limit.
    @Test(
        arguments: [
            "logs: /a/logs\nlogs.max_bytes: 1GiB", "logs: {path: /a/logs, max_bytes: 1GiB}",
        ]
    )
    func theLogFolderMayHaveALimit(_ yaml: String) throws {
        let configuration = try load(yaml: yaml)
        #expect(configuration.logs == "/a/logs" && configuration.sync.maxBytes == 1 << 30)
        #expect(try load(yaml: "logs: {path: /a/logs, max_bytes: null}").sync.maxBytes == nil)
    }

    @Test func otherKeysHaveNoPathBelow() {
        #expect(throws: ConfigurationError.self) { try load(yaml: "store: {path: /a}") }
        #expect(throws: ConfigurationError.self) { try load(yaml: "logs: {store: /a}") }
        #expect(throws: ConfigurationError.self) { try load(yaml: "merge: {path: /a}") }
    }

    @Test(arguments: ConfigurationKey.all)
    func flagAndVariableSetTheField(_ key: ConfigurationKey) throws {
        let value = try #require(Self.values.first { $0.key == key.name }?.value)
        if let flag = key.flag {
            let configuration = try load(flags: [flag: value])
            #expect(key.text(configuration) == value)
            #expect(configuration[originOf: key.field] == .flag(flag))
        }
        if let variable = key.variable {
            let configuration = try load(environment: [variable: value])
            #expect(key.text(configuration) == value)
            #expect(configuration[originOf: key.field] == .environment(variable))
        }
    }

    /// A value of the wrong type in the file is refused with the message of the key's syntax.
    @Test(
        arguments: [
            ("name: 12", "must be text; put '12' in quotes if it is meant as text"),
            ("name:", "has no value; it must be a text of 1 to 255 bytes"),
            ("store: [a]", "must be one value, a path"), ("model: \"\"", "must be a path, not ''"),
            (
                "admin: {listen: \"0.0.0.0:80\"}",
                "must be a loopback address with a port, such as 127.0.0.1:9180, or null, not '0.0.0.0:80'"
            ),
            (
                "merge: {debounce: 1}",
                "must be a duration: an integer with ms, s, m, h or d, such as 5s, of at most a"
                    + " hundred years, not '1': a unit is missing"
            ),
            ("merge: {saves: 1s}", "must be true or false, not '1s'"),
            ("import: {slice_changes: 0}", "must be an integer above 0, not '0'"),
            (
                "export: {segment_bytes: 0B}",
                "must be a size: an integer with B, KiB, MiB or GiB, such as 1MiB, not '0B'"
            ),
            (
                "watch: {rescan: never}",
                "must be auto, or a duration: an integer with ms, s, m, h or d, of at most a"
                    + " hundred years, not 'never'"
            ),
            (
                "admin: {writers: [1]}",
                "must be a group's name, a list of them, or null; put a value that YAML reads as another type in quotes"
            ),
            ("log: {level: loud}", "must be one of trace, debug, info, notice, warning, error, critical, not 'loud'"),
            (
                "replicator: {syncthing: {url: \"https://127.0.0.1:8384\"}}",
                "must be an address as http://127.0.0.1:8384: http, loopback, with a port and no path, not "
                    + "'https://127.0.0.1:8384'"
            ),
            (
                "replicator: {syncthing: {url: \"http://10.0.0.7:8384\"}}",
                "must be an address as http://127.0.0.1:8384: http, loopback, with a port and no path, not "
                    + "'http://10.0.0.7:8384'"
            ),
            ("import: {memory: 1KiB}", "must be at least 1MiB"),
            ("logs.max_bytes: 1B", "must be at least 64KiB"), ("logs: {max_bytes: 65535B}", "must be at least 64KiB"),
            (
                "logs: {path: /a, max_bytes: 0B}",
                "must be a size: an integer with B, KiB, MiB or GiB, such as 1MiB, or null, not '0B'"
            ),
            ("disk: {warn_days: 0}", "must be an integer above 0, not '0'"),
        ]
    )
    func aRefusalSaysHowAValueIsWritten(_ yaml: String, _ reason: String) throws {
        let error = #expect(throws: ConfigurationError.self) { try load(yaml: yaml) }
        #expect(error?.reason == reason)
        #expect(error?.origin.line == 1)
    }

    @Test func theLeastValuesAreAccepted() throws {
        let configuration = try load(yaml: "import: {memory: 1MiB, slice_changes: 1}\nlogs.max_bytes: 64KiB")
        #expect(configuration.sync.memory == 1 << 20 && configuration.sync.maxBytes == 64 << 10)
    }

    /// Reads the source: the command is an executable, which tests cannot import.
    @Test func theCommandHasEachFlagAndVariable() throws {
        let path = PackageFolder.path("Sources/tributaryd/TributaryDaemonCommand.swift")
        let source = try String(contentsOfFile: path, encoding: .utf8)
        let flags = source.matches(of: #/"(--[a-z-]+)": /#).map { String($0.1) }
        #expect(Set(flags) == Set(ConfigurationKey.all.compactMap(\.flag)))
        let variables = try #require(source.firstMatch(of: #/\((TRIBUTARY_CONFIG, [A-Z_, ]+)\)/#)?.1)
        let named = variables.split(separator: ", ").map { $0.hasPrefix("_") ? "TRIBUTARY\($0)" : String($0) }
        #expect(Set(named) == Set(ConfigurationKey.all.compactMap(\.variable) + ["TRIBUTARY_CONFIG"]))
    }

    @Test func nullIsNoWriterAndNoAddress() throws {
        let configuration = try load(yaml: "admin: {writers: null, listen: null}")
        #expect(configuration.admin.writers == nil && configuration.admin.listen == nil)
        #expect(configuration[originOf: \.admin.writers].word == "file")
        #expect(try load(yaml: "admin: {writers: clerks}").admin.writers == ["clerks"])
    }
}
