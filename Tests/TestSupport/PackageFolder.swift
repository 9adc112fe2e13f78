import Foundation

package enum PackageFolder {
    package static let path = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

    package static func path(_ name: String) -> String { path + "/" + name }
}
