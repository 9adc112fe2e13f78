import Glibc
package import TransactionLog
package import TributaryAdmin
package import TributaryChanges

package struct FolderScan: Sendable {
    package var listings: [WriterListing] = []
    package var changes: [ListingChange] = []
    package var vanished: [UniqueID] = []
    package var problems: [FolderProblem] = []
    /// The paths of the scanned folders; their former problems have ended unless the scan found them again.
    package var lookedAt: Set<String> = []
    /// The files and folders that the system refused to show; they must be scanned again soon.
    package var retry = FolderHints()
    var refused: Set<UniqueID> = []

    mutating func refuse(_ code: Problem.Code, path: String, error: Int32) {
        problems.append(FolderProblem(code: code, path: path, reason: String(cString: strerror(error))))
    }
}

package struct WriterListing: Sendable {
    /// A regular file with a segment's name and sequences that are not all applied.
    package struct Pending: Hashable, Sendable {
        package var id: SegmentName
        package var file: FileIdentity

        package init(id: SegmentName, file: FileIdentity) {
            self.id = id
            self.file = file
        }
    }

    /// An entry that is reported as a fault of the writer without being opened, or a conflict copy.
    package struct UnusableFile: Hashable, Sendable {
        package var id: SegmentName
        package var fileName: String
        package var state: SegmentState
        package var reason: String
        package var hint: String
        /// Nil for everything but a conflict copy, because only copies are read.
        package var file: FileIdentity?
    }

    package var writer: UniqueID
    package var pending: [Pending] = []
    package var unusableFiles: [UnusableFile] = []
    /// The files at or below the position.
    package var applied: [SegmentBounds] = []

    package init(writer: UniqueID) {
        self.writer = writer
    }
}

package struct ListingChange: Sendable {
    package var writer: UniqueID
    package var names: Set<SegmentName> = []
    package var pending: [WriterListing.Pending] = []
    package var applied: Set<SegmentName> = []
    package var appliedDifference = 0
    /// Nil when they have not changed.
    package var unusableFiles: [WriterListing.UnusableFile]?

    package init(writer: UniqueID) {
        self.writer = writer
    }
}

package struct FolderProblem: Error, Hashable, Sendable {
    package var code: Problem.Code
    package var path: String
    package var reason: String
}

extension FolderProblem: CustomStringConvertible {
    package var description: String { "\(path): \(reason)" }
}

/// A file with the content of a segment and the name of the segment or of a replicator's conflict copy.
package struct SegmentFile: Hashable, Sendable, Comparable {
    package var id: SegmentName
    package var fileName: String

    package init(id: SegmentName, fileName: String? = nil) {
        self.id = id
        self.fileName = fileName ?? id.fileName
    }

    package var path: String { "\(id.writer)/\(fileName)" }

    var hasOwnName: Bool { fileName == id.fileName }

    package static func < (left: SegmentFile, right: SegmentFile) -> Bool {
        left.id == right.id ? left.fileName.precedesByBytes(right.fileName) : left.id < right.id
    }
}
