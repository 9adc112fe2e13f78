/// A problem of the log folder that concerns no single segment.
package struct FolderProblem: Error, Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable {
        /// The log folder does not exist, perhaps because of an unmounted share.
        case missing
        /// The log folder or a writer's folder may not be read.
        case unreadable
        /// A writer's folder is a link or a file instead of a folder.
        case notAFolder
        /// A name resembles that of a writer's folder, or a segment is outside such a folder.
        case misnamed
        /// inotify cannot be used.
        case watchFailed
    }

    package var kind: Kind
    package var path: String
    package var reason: String

    package init(_ kind: Kind, path: String, reason: String) {
        self.kind = kind
        self.path = path
        self.reason = reason
    }
}

extension FolderProblem: CustomStringConvertible {
    package var description: String { "\(path): \(reason)" }
}
