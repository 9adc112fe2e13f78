import Foundation
import Glibc
import Logging
import TestSupport
import Testing
import TributarySync

@testable import TributaryDaemon

/// The files beside the configuration file, each with some of its keys.
@Suite struct ConfigurationFolderTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder("configuration")
        try folder.write("name: till\nlog: {level: debug}\n", to: "shop.yaml")
    }

    private func load() throws(ConfigurationError) -> Configuration {
        try Configuration.load(
            ConfigurationSources(
                file: folder.path("shop.yaml"),
                environment: ["HOME": folder.path("home")],
                hostName: "till-12",
                workingDirectory: "/"
            )
        )
    }

    private func refusal() -> ConfigurationError? {
        #expect(throws: ConfigurationError.self) { () throws -> Void in _ = try load() }
    }

    @Test func theKeysOfAllFilesAreInForce() throws {
        try folder.write("# nothing yet\n", to: "shop.d/00-empty.yaml")
        try folder.write("trust:\n  mode: known\n", to: "shop.d/trust.yaml")
        try folder.write("logs: {max_bytes: 1GiB}\nencryption: {key_file: keys}\n", to: "shop.d/logs.yaml")
        try folder.write("merge: {debuonce: 1s}", to: "shop.d/.hidden.yaml")
        try folder.write("merge: {debuonce: 1s}", to: "shop.d/old.yaml.dpkg-old")
        try folder.write("merge: {debuonce: 1s}", to: "tributary.d/of-another-file.yaml")
        let configuration = try load()
        #expect(configuration.name == "till" && configuration.logLevel == .debug)
        #expect(configuration.sync.trust.mode == .known && configuration.sync.maxBytes == 1 << 30)
        #expect(configuration[originOf: \.sync.trust.mode].location == folder.path("shop.d/trust.yaml") + ":2")
        // A path is taken from the folder of its own file.
        #expect(configuration.encryptionKeyFile == folder.path("shop.d/keys"))
    }

    @Test func aKeyInTwoFilesNamesBothPlaces() throws {
        try folder.write("\nname: office\n", to: "shop.d/name.yaml")
        let error = try #require(refusal())
        #expect(error.key == "name" && error.origin.location == folder.path("shop.d/name.yaml") + ":2")
        #expect(error.reason.contains("the key is in \(folder.path("shop.yaml")):1 already"), "\(error)")
        try folder.write("trust: {mode: known}", to: "shop.d/name.yaml")
        try folder.write("trust.mode: any", to: "shop.d/trust.yaml")
        let other = try #require(refusal())
        #expect(other.origin.location == folder.path("shop.d/trust.yaml") + ":1", "the later name: \(other)")
        #expect(other.reason.contains(folder.path("shop.d/name.yaml") + ":1"), "\(other)")
    }

    @Test func aMistakeNamesItsFile() throws {
        try folder.write("name: till\n", to: "shop.yaml")
        for (text, line) in [("a: b", 1), ("\nlog: {level: loud}", 2), ("log:\n  - [", 3)] {
            try folder.write(text, to: "shop.d/log.yaml")
            let error = try #require(refusal())
            #expect(error.origin.location == folder.path("shop.d/log.yaml") + ":\(line)", "\(error)")
        }
        try folder.write("log: {level: info}", to: "shop.d/log.yml")
        #expect(refusal()?.reason.contains("must end with .yaml") == true)
    }

    /// A file that nobody reads is named; files of editors and packages are not.
    @Test func aFileThatIsNotReadIsNamed() throws {
        try folder.write("name: till\n", to: "shop.yaml")
        for name in ["a.YAML", ".b.yaml", "c.Yml", "d.yaml", "e.yaml~", "f.yaml.dpkg-old", ".g.yaml.swp", "README"] {
            try folder.write("log: {level: info}", to: "shop.d/\(name)")
        }
        #expect(try load().unreadFiles == [".b.yaml", "a.YAML", "c.Yml"].map { folder.path("shop.d/\($0)") })
    }

    /// A setting of trust must not be lost without a word.
    @Test func aKeyInTwoFormsAndAFolderThatLeadsNowhereAreRefused() throws {
        try folder.write("name: till\ntrust.mode: known\ntrust: {mode: any}\n", to: "shop.yaml")
        let error = try #require(refusal())
        #expect(error.key == "trust.mode" && error.reason.contains("first in line 2"), "\(error)")
        try folder.write("name: till\n", to: "shop.yaml")
        #expect(symlink("nowhere", folder.path("shop.d")) == 0)
        #expect(refusal()?.reason.contains("shop.d' cannot be read") == true, "\(String(describing: refusal()))")
    }

    /// Nothing that lies in the folder delays the start, or takes its memory.
    @Test func whatIsNoFileOfThisKindIsRefused() throws {
        try FileManager.default.createDirectory(atPath: folder.path("shop.d"), withIntermediateDirectories: false)
        let file = folder.path("shop.d/a.yaml")
        #expect(mkfifo(file, 0o600) == 0)
        #expect(refusal()?.description == "\(file): it is not a regular file")
        unlink(file)
        #expect(symlink("/dev/zero", file) == 0)
        #expect(refusal()?.description == "\(file): it is not a regular file")
        unlink(file)
        #expect(symlink("../shop.yaml", file) == 0)
        #expect(refusal()?.key == "name", "a link is followed, as for the file itself")
        unlink(file)
        try folder.write(String(repeating: "#", count: 1 << 20) + "\n", to: "shop.d/a.yaml")
        #expect(refusal()?.reason == "the file is not UTF-8 text of at most 1 MiB")
        for number in 0...4 { try folder.write(String(repeating: "#", count: 1 << 20), to: "shop.d/\(number).yaml") }
        unlink(file)
        #expect(refusal()?.reason == "the files of '\(folder.path("shop.d"))' have more than 4.0 MiB")
        for number in 0...4 { unlink(folder.path("shop.d/\(number).yaml")) }
        for number in 0..<100 { try folder.write("", to: "shop.d/\(number).yaml") }
        _ = try load()
        try folder.write("", to: "shop.d/100.yaml")
        #expect(refusal()?.reason.contains("has 101 files; it may have 100") == true)
    }

    @Test func aFileInThePlaceOfTheFolderIsRefused() throws {
        try folder.write("", to: "shop.d")
        #expect(refusal()?.reason.contains("'\(folder.path("shop.d"))' cannot be read") == true)
    }
}
