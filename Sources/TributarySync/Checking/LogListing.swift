import Glibc
import TransactionLog
import TributaryChanges

/// The segments in a log folder by their names, without a look into their files.
struct LogListing: Sendable {
    let logs: LogFolder
    /// The segments of each writer with a folder, in order.
    let names: [UniqueID: [SegmentName]]

    /// The writers with a folder.
    var folders: [UniqueID] { names.keys.sorted() }

    /// Lists the folder.
    ///
    /// - Throws: ``SegmentError`` when it cannot be read.
    init(path: String) throws(SegmentError) {
        logs = try LogFolder(path: path)
        guard let entries = DirectoryEntries(of: logs.descriptor) else {
            throw SegmentError.system(errno, file: path, doing: "list the folder")
        }
        var writers: [UniqueID] = []
        let isComplete = entries.forEach { name, _, _ in
            if let writer = SegmentName.writer(folderName: String(decoding: name, as: UTF8.self)) {
                writers.append(writer)
            }
        }
        guard isComplete else { throw SegmentError.system(errno, file: path, doing: "list the folder") }
        var names: [UniqueID: [SegmentName]] = [:]
        for writer in writers {
            names[writer] = try logs.fileNames(of: writer).compactMap { SegmentName(writer: writer, fileName: $0) }
                .sorted()
        }
        self.names = names
    }
}
