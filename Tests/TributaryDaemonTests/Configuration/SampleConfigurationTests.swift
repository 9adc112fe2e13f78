import Foundation
import TestSupport
import Testing

@testable import TributaryDaemon

/// The installed sample configuration explains every key and leaves every value at its default.
@Suite struct SampleConfigurationTests {
    private let path = PackageFolder.path("etc/tributary/tributary.yaml")

    private func load(_ file: String?) throws -> Configuration {
        try Configuration.load(
            ConfigurationSources(
                file: file,
                environment: ["STATE_DIRECTORY": "/var/lib/tributary", "HOME": "/root"],
                hostName: "till-12",
                workingDirectory: "/"
            )
        )
    }

    @Test func everyValueIsTheDefault() throws {
        let sample = try load(path)
        let folder = try TemporaryFolder("configuration")
        try folder.write("model: /etc/tributary/model.yaml\n", to: "empty.yaml")
        let plain = try load(folder.path("empty.yaml"))
        #expect(sample.differences(from: plain).map(\.name) == [])
        #expect(sample.model == "/etc/tributary/model.yaml")
    }

    @Test(arguments: ConfigurationKey.all)
    func everyKeyIsExplained(_ key: ConfigurationKey) throws {
        let lines = try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\n")
        // One stands alone, since its group is a value as well.
        let isAlone = lines.contains { line in line.drop { " #".contains($0) }.hasPrefix(key.name + ":") }
        let names = isAlone ? [key.name] : key.name.split(separator: ".").map(String.init)
        var rest = lines[...]
        for name in names {
            let index = rest.firstIndex { line in
                line.drop { " #".contains($0) }.hasPrefix(name + ":")
            }
            rest = rest[(try #require(index, "\(key.name) is not there"))...]
        }
        let line = try #require(rest.first)
        let before = lines[max(lines.startIndex, rest.startIndex - 4)..<rest.startIndex]
        let explains = line.contains(" # ") || line.contains("# [restart]") || before.contains { $0.hasPrefix("# ") }
        #expect(explains, "\(key.name) is not explained")
        let comment = names.count > 1 ? [] : before.reversed().prefix { $0.hasPrefix("#") }
        let isMarked = (comment + [line]).contains { $0.contains("[restart]") }
        #expect(isMarked == key.needsRestart, "\(key.name) is marked wrongly")
    }
}
