import Foundation
import Logging
import TestSupport
import Testing
import Tributary
import TributarySync

@testable import TributaryDaemon

@Suite("Configuration")
struct ConfigurationTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder("configuration")
    }

    private func sources(
        _ yaml: String? = nil,
        flags: [String: String] = [:],
        environment: [String: String] = [:]
    ) throws -> ConfigurationSources {
        if let yaml { try folder.write(yaml, to: "t.yaml") }
        return ConfigurationSources(
            flags: flags,
            file: yaml == nil ? nil : folder.path("t.yaml"),
            environment: ["HOME": folder.path("home")].merging(environment) { $1 },
            hostName: "till-12",
            workingDirectory: folder.path
        )
    }

    private func refusal(_ yaml: String) throws -> ConfigurationError? {
        do {
            _ = try Configuration.load(try sources(yaml))
            return nil
        } catch let error as ConfigurationError {
            return error
        }
    }

    @Test("without anything the defaults hold")
    func defaults() throws {
        let configuration = try Configuration.load(try sources())
        #expect(configuration.name == "till-12")
        #expect(configuration.store == folder.path("home") + "/.local/state/tributary/store.sqlite")
        #expect(configuration.logs == folder.path("home") + "/.local/state/tributary/logs")
        #expect(configuration.admin.socket == folder.path("home") + "/.local/state/tributary/admin.sock")
        #expect(configuration.merge.debounce == .seconds(1))
        #expect(configuration.shutdown.timeout == .seconds(85))
        #expect(configuration.sync.segmentBytes == 1 << 20)
        #expect(configuration.sync.rescan == .automatic)
        let keep = try #require(ConfigurationKey.all.first { $0.name == "history.keep" })
        #expect(keep.text(configuration) == "30d")
        #expect(configuration[originOf: \.historyAge] == .standard)
    }

    @Test("flags win over the environment, that over the file, that over defaults, and each says where it is from")
    func precedence() throws {
        let yaml = "name: file\nmodel: /m.yaml\nlog: {level: debug}\nwatch:\n  rescan: 2m\n"
        let configuration = try Configuration.load(
            try sources(
                yaml,
                flags: ["--name": "flag"],
                environment: ["TRIBUTARY_NAME": "env", "TRIBUTARY_MODEL": "/e.yaml"]
            )
        )
        #expect(configuration.name == "flag")
        #expect(configuration[originOf: \.name] == .flag("--name"))
        #expect(configuration.model == "/e.yaml")
        #expect(configuration[originOf: \.model] == .environment("TRIBUTARY_MODEL"))
        #expect(configuration.logLevel == .debug)
        #expect(configuration[originOf: \.logLevel] == .file(path: folder.path("t.yaml"), line: 3, column: 14))
        #expect(configuration.sync.rescan == .every(.seconds(120)))
        #expect(configuration[originOf: \.sync.rescan].location == folder.path("t.yaml") + ":5")
    }

    @Test("a socket that the service manager hands over is where clients find the daemon, whatever the file says")
    func inheritedSocket() throws {
        var sources = try sources("admin: {socket: /elsewhere.sock}", environment: ["STATE_DIRECTORY": folder.path])
        sources.inheritedSocket = "/run/tributary/shop.sock"
        let configuration = try Configuration.load(sources)
        #expect(configuration.admin.socket == "/run/tributary/shop.sock")
        #expect(configuration[originOf: \.admin.socket].word == "systemd")
    }

    @Test("under systemd the paths are the system's; relative paths of a file are taken from its folder")
    func paths() throws {
        let system = try Configuration.load(
            try sources("model: m.yaml", environment: ["STATE_DIRECTORY": "/var/lib/tributary"])
        )
        #expect(system.store == "/var/lib/tributary/store.sqlite")
        #expect(system.admin.socket == "/run/tributary/admin.sock")
        #expect(system.model == folder.path("m.yaml"))
        let user = try Configuration.load(
            try sources(environment: ["XDG_RUNTIME_DIR": "/run/user/7", "XDG_STATE_HOME": "/s"])
        )
        #expect(user.store == "/s/tributary/store.sqlite")
        #expect(user.admin.socket == "/run/user/7/tributary/admin.sock")
    }

    struct Refused: Sendable, CustomTestStringConvertible {
        var yaml: String
        var key: String?
        var line: Int?
        var testDescription: String { yaml }

        init(_ yaml: String, _ key: String?, _ line: Int?) {
            self.yaml = yaml
            self.key = key
            self.line = line
        }
    }

    @Test(
        "a mistake names file, line, column and key",
        arguments: [
            Refused("name: a\nnmae: b\n", "nmae", 2), Refused("merge: {debounce: 1s, celing: 2s}", "merge.celing", 1),
            Refused("\nmerge:\n  debounce: 1\n", "merge.debounce", 3),
            Refused("merge: {debounce: 1sec}", "merge.debounce", 1),
            Refused("merge: {debounce: 1.5s}", "merge.debounce", 1),
            Refused("merge: {debounce: -1s}", "merge.debounce", 1),
            Refused("merge: {debounce: 0s}", "merge.debounce", 1),
            Refused("export: {segment_bytes: 1MB}", "export.segment_bytes", 1),
            Refused("export: {segment_bytes: 100}", "export.segment_bytes", 1), Refused("name: no", "name", 1),
            Refused("name: 12", "name", 1), Refused("name:", "name", 1),
            Refused("merge: {saves: maybe}", "merge.saves", 1),
            Refused("merge: 1s", "merge", 1), Refused("name: [a]", "name", 1),
            Refused("log: {level: loud}", "log.level", 1),
            Refused("import: {slice_changes: many}", "import.slice_changes", 1),
            Refused("admin: {listen: \"0.0.0.0:80\"}", "admin.listen", 1),
            Refused("merge: {debounce: 9s, ceiling: 5s}", "merge.ceiling", 1), Refused("- a", nil, 1),
            Refused("name: a\n  b: [", nil, 2), Refused("history: {keep: 99999999999999999d}", "history.keep", 1),
        ]
    )
    func mistakes(_ refused: Refused) throws {
        let error = try #require(try refusal(refused.yaml))
        #expect(error.origin.source == folder.path("t.yaml") && error.origin.line == refused.line, "\(error)")
        #expect(error.origin.column != nil, "\(error)")
        #expect(error.key == refused.key, "\(error)")
    }

    @Test("a key that occurs twice is refused")
    func twice() throws {
        let error = try refusal("\nname: a\nlog: {level: info}\nname: b\n")
        #expect(
            error?.description
                == folder.path("t.yaml") + ":4: name: column 1: the key 'name' occurs twice, first in line 2",
            "\(String(describing: error))"
        )
    }

    @Test("a file that was named must be there, one at the default path need not")
    func missingFile() throws {
        var sources = try sources()
        sources.file = folder.path("absent.yaml")
        #expect(throws: ConfigurationError.self) { try Configuration.load(sources) }
    }

    @Test("a socket's path may have 107 bytes")
    func socketPath() throws {
        let room = 107 - folder.path.utf8.count - 1
        let fits = folder.path(String(repeating: "s", count: room))
        #expect(try Configuration.load(try sources(flags: ["--socket": fits])).admin.socket == fits)
        #expect(throws: ConfigurationError.self) {
            try Configuration.load(try sources(flags: ["--socket": fits + "s"]))
        }
    }

    @Test("a log folder that was named is never made")
    func logsMustExist() throws {
        try folder.write("version: \"1\"\nentities:\n  A: {attributes: {n: {type: String}}}\n", to: "m.yaml")
        let named = try Configuration.load(
            try sources(flags: [
                "--model": folder.path("m.yaml"), "--logs": folder.path("logs"), "--store": folder.path("s.sqlite"),
            ])
        )
        let error = #expect(throws: ConfigurationError.self) { try named.checkPaths() }
        #expect(error?.key == "logs" && error?.reason.contains("-m 2770") == true)
        #expect(!FileManager.default.fileExists(atPath: folder.path("logs")))
    }

    @Test(
        "a store in the log folder is refused, by whatever path",
        arguments: [
            ("logs/s.sqlite", "logs"), ("logs/deep/er/s.sqlite", "logs"), ("link/s.sqlite", "logs"),
            ("logs/s.sqlite", "link"),
            ("dangling.sqlite", "logs"), ("logs/../logs/s.sqlite", "link"),
        ]
    )
    func storeOutsideLogs(_ store: String, _ logs: String) throws {
        try folder.write("version: \"1\"\nentities:\n  A: {attributes: {n: {type: String}}}\n", to: "m.yaml")
        let files = FileManager.default
        try files.createDirectory(atPath: folder.path("logs/deep"), withIntermediateDirectories: true)
        try files.createDirectory(atPath: folder.path("logs2"), withIntermediateDirectories: true)
        try files.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: "logs")
        try files.createSymbolicLink(atPath: folder.path("dangling.sqlite"), withDestinationPath: "logs/s.sqlite")
        func configuration(_ store: String) throws -> Configuration {
            try Configuration.load(
                try sources(flags: [
                    "--model": folder.path("m.yaml"), "--logs": folder.path(logs), "--store": folder.path(store),
                ])
            )
        }
        let wrong = try configuration(store)
        let error = try #require(throws: ConfigurationError.self) { try wrong.checkPaths() }
        #expect(error.key == "store" && error.origin == .flag("--store"))
        #expect("\(error)".contains("'\(wrong.store)'") && "\(error)".contains("'\(wrong.logs)'"), "\(error)")
        _ = try configuration("logs2/s.sqlite").checkPaths()
        _ = try configuration("s.sqlite").checkPaths()
    }

    @Test("the model must be named and be there, and paths must be usable")
    func usablePaths() throws {
        let nothing = try Configuration.load(try sources())
        #expect(#expect(throws: ConfigurationError.self) { try nothing.checkPaths() }?.key == "model")
        let absent = try Configuration.load(try sources(flags: ["--model": folder.path("absent.yaml")]))
        #expect(#expect(throws: ConfigurationError.self) { try absent.checkPaths() }?.origin == .flag("--model"))
        try folder.write("version: \"1\"\nentities:\n  A: {attributes: {n: {type: String}}}\n", to: "m.yaml")
        try folder.write("a file", to: "file")
        let blocked = try Configuration.load(
            try sources(flags: ["--model": folder.path("m.yaml"), "--store": folder.path("file/s.sqlite")])
        )
        #expect(#expect(throws: ConfigurationError.self) { try blocked.checkPaths() }?.key == "store")
    }

    @Test("the key file of the log folder is read beside the configuration, and told with its place")
    func encryptionKeys() throws {
        func configuration(_ yaml: String) throws -> Configuration { try Configuration.load(try sources(yaml)) }
        var needing = try configuration("encryption: {required: true}\n")
        let needed = #expect(throws: ConfigurationError.self) { try needing.readEncryptionKeys() }
        #expect(needed?.key == "encryption.required" && needed?.origin.line == 1)
        var absent = try configuration("encryption: {key_file: keys}\n")
        let missing = #expect(throws: ConfigurationError.self) { try absent.readEncryptionKeys() }
        #expect(missing?.key == "encryption.key_file" && missing?.detail.contains("the file does not exist") == true)
        try folder.write("\(String(repeating: "a", count: 64))\nx\n", to: "keys")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.path("keys"))
        let bad = #expect(throws: ConfigurationError.self) { try absent.readEncryptionKeys() }
        #expect(bad?.detail.contains("'\(folder.path("keys"))', line 2") == true, "\(String(describing: bad))")
        try folder.write("\(String(repeating: "a", count: 64))\n", to: "keys")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.path("keys"))
        var good = try configuration("encryption: {key_file: keys, required: true}\n")
        try good.readEncryptionKeys()
        #expect(good.sync.encryption.current != nil && good.sync.encryption.isRequired)
    }

    /// A store with two names would have two locks, and two daemons.
    @Test("a symbolic link as the store stands for the file to which it leads, which may be missing")
    func storeLink() throws {
        let file = folder.path("real.sqlite")
        for (name, target) in [("link.sqlite", "real.sqlite"), ("second.sqlite", folder.path("link.sqlite"))] {
            try FileManager.default.createSymbolicLink(atPath: folder.path(name), withDestinationPath: target)
        }
        #expect(try Configuration.load(try sources("store: link.sqlite")).store == file)
        try folder.write("", to: "real.sqlite")
        #expect(try Configuration.load(try sources("store: second.sqlite")).store == file)
        let lock = try StoreLock.acquire(store: Configuration.load(try sources("store: link.sqlite")).store)
        #expect(throws: StartFailure.self) {
            try StoreLock.acquire(store: Configuration.load(try sources("store: second.sqlite")).store)
        }
        withExtendedLifetime(lock) {}

        // Large values beside the link would not be found any more.
        try FileManager.default.createDirectory(
            atPath: folder.path("link.sqlite-blobs"),
            withIntermediateDirectories: false
        )
        let refused = try #require(try refusal("store: link.sqlite"))
        #expect(refused.reason.contains("mv '\(folder.path("link.sqlite-blobs"))' '\(file)-blobs'"), "\(refused)")
    }
}
