import Foundation

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
