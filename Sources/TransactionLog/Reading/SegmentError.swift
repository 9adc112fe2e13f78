import Glibc
package import TributaryChanges

package struct SegmentError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Kind: Hashable, Sendable {
        /// The file has no valid end line: a replicator may still be writing it.
        case incomplete
        /// The hash in the end line does not match the bytes.
        case damaged
        /// The hash matches, but the content is not valid.
        case rejected
        /// Another file with other bytes has this name.
        case forked
        /// The file is encrypted with an unknown key, or is not encrypted where it must be.
        case locked
        /// The bytes no longer match the verified bytes.
        case changed
        case missing
        /// The value is `errno`.
        case inputOutput(Int32)
    }

    package var kind: Kind
    package var file: String
    package var line: Int?
    package var writer: UniqueID?
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

    package var state: String {
        switch kind {
        case .incomplete, .changed, .missing: "incomplete"
        case .damaged, .inputOutput: "damaged"
        case .rejected: "rejected"
        case .forked: "forked"
        case .locked: "held"
        }
    }

    /// Whether a retry may help, as with too few descriptors.
    package var isPassing: Bool {
        guard case .inputOutput(let code) = kind else { return false }
        return [EMFILE, ENFILE, ENOMEM, EIO].contains(code)
    }

    package var isOfContent: Bool {
        if case .inputOutput = kind { return false }
        return true
    }

    package var hint: String {
        switch kind {
        case .incomplete: "Wait until the whole file has arrived; if it stays short, copy it again from its writer."
        case .damaged: "Copy the file again from its writer or from a machine that has applied it."
        case .rejected: "The program that wrote it must write a corrected segment; this segment is not applied."
        case .forked: "Two machines write as the same writer. Rebuild one of them from the log folder."
        case .locked: SegmentError.keyHint
        case .changed: "A published segment must never change; it is verified again from the start."
        case .missing: "Check the path; if a replicator removed the file, let it bring it back."
        case .inputOutput: "Check the permissions and the disk; the daemon tries again."
        }
    }

    package static let keyHint =
        "If the file is not encrypted, its writer has to encrypt its files. Otherwise add its key to the file that "
        + "encryption.key_file names, then: tributaryctl reload"

    package var description: String {
        let position = line.map { "\(file):\($0)" } ?? file
        let transaction = sequence.map { "transaction \($0)" }
        // Some reasons begin with the transaction.
        guard let transaction, !reason.hasPrefix("\(transaction) ") else { return "\(position): \(reason)" }
        return "\(position): \(reason) (\(transaction))"
    }

    func with(writer: UniqueID?) -> SegmentError {
        var error = self
        error.writer = error.writer ?? writer
        return error
    }
}
