import TransactionLog
import TributaryChanges

/// Names only; the files themselves are not read.
struct LogListing: Sendable {
    let logs: LogFolder
    let names: [UniqueID: [SegmentName]]
    let copies: [SegmentName: [SegmentFile]]
    let baselines: BaselineFiles
    let unreadable: [UniqueID: SegmentError]

    var count: Int { names.values.reduce(0) { $0 + $1.count } }

    init(_ logs: LogFolder) throws(SegmentError) {
        self.logs = logs
        var names: [UniqueID: [SegmentName]] = [:]
        var baselines = BaselineFiles()
        var copies: [SegmentFile] = []
        var unreadable: [UniqueID: SegmentError] = [:]
        for writer in try logs.writers() {
            do throws(SegmentError) {
                var segments: [SegmentName] = []
                for file in try logs.fileNames(of: writer) {
                    switch SegmentFileKind.classify(file, writer: writer) {
                    case .segment(let name): segments.append(name)
                    case .baseline, .comparison: baselines.add(file, of: writer)
                    case .conflictCopy(let id): copies.append(SegmentFile(id: id, fileName: file))
                    case .misnamed, .ignored: continue
                    }
                }
                names[writer] = segments.sorted()
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

extension Sequence<SegmentName> {
    /// The last transaction before the first gap above a position; the segments belong to one writer and are in order.
    func reached(from position: UInt64) -> UInt64 {
        reduce(position) { $1.first <= $0.addingSaturating(1) ? Swift.max($0, $1.last) : $0 }
    }
}
