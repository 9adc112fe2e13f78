/// Something about the log folder that no single segment can be blamed for.
package struct FolderProblem: Error, Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable {
        /// The log folder is not there: an unmounted share, perhaps.
        case missing
        /// The log folder or a writer's folder may not be read.
        case unreadable
        /// A writer's folder is no folder, but a link or a file.
        case notAFolder
        /// A name that is nearly a writer's folder's, or a segment outside of one.
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
