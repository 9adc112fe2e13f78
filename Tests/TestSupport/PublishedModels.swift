import Foundation

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
