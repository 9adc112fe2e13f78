package import TransactionLog
package import TributaryChanges

/// What one writer's folder holds, as far as names and file attributes tell.
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

    /// An entry that is counted against the writer without being opened.
    package struct Misfit: Hashable, Sendable {
        package var id: SegmentName
        package var fileName: String
        package var state: SegmentState
        package var reason: String
        package var hint: String

        package init(id: SegmentName, fileName: String, state: SegmentState, reason: String, hint: String) {
            self.id = id
            self.fileName = fileName
            self.state = state
            self.reason = reason
            self.hint = hint
        }
    }

    /// A file at or below the position.
    package struct Applied: Hashable, Sendable {
        package var inode: UInt64
        /// Whether its end line has been compared with what was applied.
        package var isChecked: Bool

        package init(inode: UInt64, isChecked: Bool) {
            self.inode = inode
            self.isChecked = isChecked
        }
    }

    package var writer: UniqueID
    package var pending: [Pending] = []
    package var misfits: [Misfit] = []
    package var applied: [SegmentBounds: Applied] = [:]

    package init(writer: UniqueID) {
        self.writer = writer
    }

    /// The applied files whose end line is still to be compared with the store, at most `limit` of them.
    package func unchecked(limit: Int) -> [SegmentName] {
        var names: [SegmentName] = []
        for (bounds, file) in applied where !file.isChecked {
            names.append(SegmentName(writer: writer, first: bounds.first, last: bounds.last))
            guard names.count < limit else { break }
        }
        return names
    }

    /// The position has moved: what was pending may be applied now.
    ///
    /// It was verified then, so it need not be compared.
    mutating func settle(position: UInt64) {
        guard pending.contains(where: { $0.id.last <= position }) else { return }
        for file in pending where file.id.last <= position {
            applied[file.id.bounds] = Applied(inode: file.file.inode, isChecked: true)
        }
        pending.removeAll { $0.id.last <= position }
    }

    /// Forgets a name, whatever it was.
    mutating func remove(_ id: SegmentName) {
        pending.removeAll { $0.id == id }
        misfits.removeAll { $0.id == id && $0.fileName == id.fileName }
        applied[id.bounds] = nil
    }
}
