import Glibc
import TransactionLog
import TributaryChanges

/// The segments and baselines in a log folder by their names, without a look into their files.
struct LogListing: Sendable {
    let logs: LogFolder
    let names: [UniqueID: [SegmentName]]
    let copies: [SegmentName: [SegmentFile]]
    let baselines: BaselineFiles
    /// The folders of writers that cannot be listed.
    let unreadable: [UniqueID: SegmentError]

    var folders: [UniqueID] { names.keys.sorted() }

    var count: Int { names.values.reduce(0) { $0 + $1.count } }

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
        var baselines = BaselineFiles()
        var copies: [SegmentFile] = []
        var unreadable: [UniqueID: SegmentError] = [:]
        for writer in writers {
            do throws(SegmentError) {
                let files = try logs.fileNames(of: writer)
                names[writer] = files.compactMap { SegmentName(writer: writer, fileName: $0) }.sorted()
                for file in files {
                    switch SegmentFileKind.classify(file, writer: writer) {
                    case .baseline, .comparison: baselines.add(file, of: writer)
                    case .conflictCopy(let id): copies.append(SegmentFile(id: id, fileName: file))
                    case .segment, .misnamed, .ignored: continue
                    }
                }
            } catch {
                unreadable[writer] = error
            }
        }
        self.names = names
        self.copies = Dictionary(grouping: copies.sorted(), by: \.id)
        baselines.baselines.sort()
        baselines.comparisons.sort()
        self.baselines = baselines
        self.unreadable = unreadable
    }
}
