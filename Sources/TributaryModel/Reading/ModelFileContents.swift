import Foundation

/// The bytes of the files that a model is read from, to tell whether they have changed since.
package struct ModelFileContents: Sendable, Hashable {
    private let files: [String: Data]

    /// The current version's file, and the one that says which version that is; what cannot be read is not there.
    package init(ofModelAt path: String) {
        var files: [String: Data] = [:]
        for file in (try? ModelFile(path).currentFiles()) ?? [] {
            files[file] = try? ModelFile.readBytes(file)
        }
        self.files = files
    }
}
