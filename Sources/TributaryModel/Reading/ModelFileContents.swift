import Foundation

/// The bytes of the files of a model, to detect changes of the files.
package struct ModelFileContents: Sendable, Hashable {
    private let files: [String: Data]

    /// Reads the current version's file and the file that names the current version; files that cannot be read are left
    /// out.
    package init(ofModelAt path: String) {
        var files: [String: Data] = [:]
        for file in (try? ModelFile(path).currentFiles()) ?? [] {
            files[file] = try? ModelFile.readBytes(file)
        }
        self.files = files
    }
}
