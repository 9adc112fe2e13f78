import Glibc
package import TributaryChanges

/// Why a segment cannot be read or written: what, where, and what it means for the segment.
package struct SegmentError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Kind: Hashable, Sendable {
        /// There is no valid end line (yet): it may still be on its way.
        case incomplete
        /// The bytes are not those that were written: the hash of the end line does not fit.
        case damaged
        /// The bytes are as they were written, and they are no valid segment.
        case rejected
        /// Another segment of this name, or with overlapping bounds, has other bytes.
        case forked
        /// The bytes are not any more those that were verified.
        case changed
        /// There is no such file.
        case missing
        /// The system refused to read or write; the value is `errno`.
        case inputOutput(Int32)
    }

    /// The segment states of the log folder's contract that an error can put a segment in.
    package enum State: String, Hashable, Sendable {
        case incomplete, damaged, rejected, forked
    }

    package var kind: Kind
    package var file: String
    /// The line in the file, from 1.
    package var line: Int?
    package var writer: UniqueID?
    /// The transaction in which it was found.
    package var sequence: UInt64?
    package var reason: String

    package init(
        _ kind: Kind,
        file: String,
        line: Int? = nil,
        writer: UniqueID? = nil,
        sequence: UInt64? = nil,
        reason: String
    ) {
        self.kind = kind
        self.file = file
        self.line = line
        self.writer = writer
        self.sequence = sequence
        self.reason = reason
    }

    package var state: State {
        switch kind {
        case .incomplete, .changed, .missing: .incomplete
        case .damaged, .inputOutput: .damaged
        case .rejected: .rejected
        case .forked: .forked
        }
    }

    /// Whether the same file may be fine at the next look, without anybody writing it anew.
    package var isRetryable: Bool {
        switch kind {
        case .incomplete, .changed, .missing, .inputOutput: true
        case .damaged, .rejected, .forked: false
        }
    }

    /// Whether the machine is in trouble that may pass by itself, such as no descriptors left: not a matter of
    /// permissions, nor of what the file is.
    package var isPassing: Bool {
        guard case .inputOutput(let code) = kind else { return false }
        return [EMFILE, ENFILE, ENOMEM, EIO].contains(code)
    }

    /// What helps, as a sentence.
    package var hint: String {
        switch kind {
        case .incomplete: "Wait until the file has arrived whole; if it stays so, copy it again from its writer."
        case .damaged: "Copy the file again from its writer or from a machine that has applied it."
        case .rejected: "The program that wrote it must write a corrected segment; nothing of this one is applied."
        case .forked: "Two programs write as one writer: give the clone an identity of its own."
        case .changed: "Segments must never change once they are in place; it is looked at again from the start."
        case .missing: "Check the path; if a replicator removed the file, let it bring it back."
        case .inputOutput: "Check the permissions and the disk; it is looked at again at the next scan."
        }
    }

    package var description: String {
        let place = line.map { "\(file):\($0)" } ?? file
        let transaction = sequence.map { " (transaction \($0))" } ?? ""
        return "\(place): \(reason)\(transaction)"
    }
}
