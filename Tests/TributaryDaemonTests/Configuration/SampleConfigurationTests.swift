import Foundation
import TestSupport
import Testing
import TributaryDaemon

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
        #expect(sample.differences(from: plain).map(\.rawValue) == [])
        #expect(sample.model == "/etc/tributary/model.yaml")
    }

    @Test(arguments: ConfigurationKey.allCases)
    func everyKeyIsExplained(_ key: ConfigurationKey) throws {
        let lines = try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\n")
        let names = key.rawValue.split(separator: ".").map(String.init)
        var rest = lines[...]
        for name in names {
            let index = rest.firstIndex { line in
                line.drop { " #".contains($0) }.hasPrefix(name + ":")
            }
            rest = rest[(try #require(index, "\(key.rawValue) is not there"))...]
        }
        let line = try #require(rest.first)
        let before = lines[max(lines.startIndex, rest.startIndex - 4)..<rest.startIndex]
        let explains = line.contains(" # ") || line.contains("# [restart]") || before.contains { $0.hasPrefix("# ") }
        #expect(explains, "\(key.rawValue) is not explained")
    }
}
