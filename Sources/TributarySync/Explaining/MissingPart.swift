import TransactionLog
package import TributaryChanges

/// Transactions or a blob that a segment waits for, with those who have them.
package struct MissingPart: Hashable, Sendable {
    /// A writer whose machine has what is missing.
    package struct Holder: Hashable, Sendable {
        package enum Cause: String, Hashable, Sendable {
            /// It has written it.
            case wrote
            /// It has acknowledged the transactions, or wrote after having applied them.
            case applied
            /// Its folder in the log folder has a file with the blob's name.
            case file
        }

        package var writer: UniqueID
        package var name: String?
        package var cause: Cause
    }

    package var dependency: UnmetDependency
    /// The name of the writer of what is missing.
    package var writerName: String?
    /// Its writer first.
    package var holders: [Holder]

    package var writer: UniqueID {
        switch dependency {
        case .transactions(let writer, _, _), .blob(let writer, _): writer
        }
    }
}

extension MissingPart {
    init(_ dependency: UnmetDependency, of segment: SegmentStatus, _ known: KnownTransactions) {
        let (writer, sequence) =
            switch dependency {
            case .transactions(let writer, let from, _): (writer, from)
            // Who has applied the segment has had its blobs.
            case .blob(let writer, _): (writer, segment.id.last)
            }
        self.dependency = dependency
        writerName = known.name(of: writer)
        holders = [Holder(writer: writer, name: writerName, cause: .wrote)]
        holders += known.holders(of: sequence, of: writer).map { holder in
            Holder(writer: holder, name: known.name(of: holder), cause: .applied)
        }
    }
}
