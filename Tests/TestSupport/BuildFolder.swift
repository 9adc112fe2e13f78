import Foundation

/// The folder with this test run's executables.
package enum BuildFolder {
    /// The folder of the running test bundle, which also contains `tributaryd` and `tributaryctl`.
    package static let path: String = {
        let bundle = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return (bundle as NSString).deletingLastPathComponent
    }()

    package static func executable(_ name: String) -> String { path + "/" + name }
}
