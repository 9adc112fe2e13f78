import Foundation
import TransactionLog
import TributaryChanges

extension ReplicatedFolder {
    /// Where the files are while the share is not mounted.
    private var aside: String { path + ".aside" }

    func hasFolder(of writer: UniqueID) -> Bool { access("\(path)/\(writer)", F_OK) == 0 }

    /// Gives the folder another path.
    mutating func move(to target: String) throws {
        try FileManager.default.moveItem(atPath: path, toPath: target)
        setPath(target)
    }

    /// Loses files; the store has published for its own writers.
    mutating func lose(_ loss: FolderLoss, own: [UniqueID]) throws {
        switch loss {
        case .unmounted:
            try FileManager.default.moveItem(atPath: path, toPath: aside)
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        case .own: for writer in own where hasFolder(of: writer) { try remove("\(writer)") }
        case .all: for name in try FileManager.default.contentsOfDirectory(atPath: path) { try remove(name) }
        }
        setLoss(loss, of: own)
    }

    /// Mounts the share again; files that are lost for ever stay so.
    mutating func recover() throws {
        if loss == .unmounted {
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.moveItem(atPath: aside, toPath: path)
        }
        setLoss(nil)
    }

    private mutating func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: "\(path)/\(name)")
        if let writer = SegmentName.writer(folderName: name) { forget(writer) }
    }
}
