import Foundation

package enum PackageFolder {
    package static let path = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

    package static func path(_ name: String) -> String { path + "/" + name }
}

/// The folders with what this test run was built with, and with the programs that it starts.
package enum BuildFolder {
    package static let path: String = {
        let bundle = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return (bundle as NSString).deletingLastPathComponent
    }()

    /// The folder of the programs that tests start: `TRIBUTARY_PROGRAMS`, such as the one of a release build, or this one.
    package static let programs = ProcessInfo.processInfo.environment["TRIBUTARY_PROGRAMS"] ?? path

    package static func executable(_ name: String) -> String { programs + "/" + name }
}

/// All tests run at one time and have some 13,000 files open; a login shell permits 1,024 by default.
private enum OpenFiles {
    private static let enough: rlim_t = 65_536

    /// Raises the limit of this process, once, as far as the system permits.
    static let permitMany: Void = {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < enough else { return }
        limit.rlim_cur = min(limit.rlim_max, enough)
        _ = setrlimit(resource, &limit)
    }()
}

/// A folder for one test, removed when the last reference is released.
package final class TemporaryFolder: Sendable {
    package let path: String

    /// A folder in memory, where the machine supports one, for tests that open hundreds of stores.
    package static func inMemory(_ purpose: String) throws -> TemporaryFolder {
        let memory = "/dev/shm/"
        return try TemporaryFolder(purpose, in: FileManager.default.isWritableFile(atPath: memory) ? memory : nil)
    }

    package init(_ purpose: String = "test", in parent: String? = nil) throws {
        OpenFiles.permitMany
        path = (parent ?? NSTemporaryDirectory()) + "tributary-\(purpose)-\(UUID().uuidString.lowercased().prefix(13))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    package func path(_ name: String) -> String { path + "/" + name }

    package func write(_ text: String, to name: String) throws {
        let target = path(name)
        try FileManager.default.createDirectory(
            atPath: (target as NSString).deletingLastPathComponent,
            withIntermediateDirectories: true
        )
        try Data(text.utf8).write(to: URL(fileURLWithPath: target))
    }
}

/// Models of public projects, kept beside the package; their licences keep them out of it.
package enum PublishedModels {
    /// The folder with INDEX.tsv; nil when there is none.
    package static let folder: String? = {
        let places: [String?] = [
            ProcessInfo.processInfo.environment["TRIBUTARY_PUBLISHED_MODELS"],
            PackageFolder.path("../shared/models"),
        ]
        return places.compactMap { $0 }.first { FileManager.default.fileExists(atPath: "\($0)/INDEX.tsv") }
    }()
}

/// The examples of README.md, so that tests run the printed code.
package enum Readme {
    package struct NoSuchExample: Error {
        package var name: String
    }

    package static func example(_ name: String) throws -> String {
        let path = PackageFolder.path("README.md")
        let lines = try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\n")
        guard let marker = lines.firstIndex(of: "<!-- example: \(name) -->"), lines[marker + 1].hasPrefix("```") else {
            throw NoSuchExample(name: name)
        }
        return lines[(marker + 2)...].prefix { $0 != "```" }.map { $0 + "\n" }.joined()
    }
}
