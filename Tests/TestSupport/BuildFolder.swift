import Foundation

/// Where this test run's executables lie.
package enum BuildFolder {
    /// The folder of the running test bundle: `tributaryd` and `tributaryctl` are beside it.
    package static let path: String = {
        let bundle = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return (bundle as NSString).deletingLastPathComponent
    }()

    package static func executable(_ name: String) -> String { path + "/" + name }
}
