import TransactionLog
import TributaryChanges

/// The store's record of a partly applied segment.
struct PartialRecord {
    var name: SegmentName
    var sha256: String
    var deferred: Int

    init(name: SegmentName, sha256: String, deferred: Int) {
        self.name = name
        self.sha256 = sha256
        self.deferred = deferred
    }

    init?(_ text: String, writer: UniqueID) {
        let parts = text.split(separator: " ")
        guard parts.count == 3, let name = SegmentName(writer: writer, fileName: parts[0]), let deferred = Int(parts[2])
        else { return nil }
        self.init(name: name, sha256: String(parts[1]), deferred: deferred)
    }

    var text: String { "\(name.fileName) \(sha256) \(deferred)" }

    var partial: WriterPosition.Partial { WriterPosition.Partial(bounds: name.bounds, sha256: sha256) }
}
