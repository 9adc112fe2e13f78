import Foundation
import TestSupport
import TributaryChanges

/// The segments of one writer in a log folder, read without the project's own reader.
struct ExportedSegments {
    /// The IDs of the inserted items, in order, without hyphens.
    private(set) var items: [String] = []
    /// Segments that are not whole, or not in a chain.
    private(set) var problems: [String] = []

    /// Reads the segments of all writers besides `others`: a store is another writer after a kill within a commit.
    init(in logs: String, besides others: Set<String>) throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: logs)
        for folder in folders where !others.contains(folder) && folder != ".staging" { try read("\(logs)/\(folder)") }
    }

    private mutating func read(_ path: String) throws {
        var next = 1
        var previous: String?
        for name in try FileManager.default.contentsOfDirectory(atPath: path).sorted() {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)"))
            let lines = bytes.split(separator: UInt8(ascii: "\n"))
            let objects = lines.map { (try? JSONSerialization.jsonObject(with: $0) as? [String: Any]) ?? [:] }
            guard let header = objects.first, let end = objects.last, let last = lines.last, lines.count > 1 else {
                problems.append("\(name): it is not whole")
                continue
            }
            if header["first"] as? Int != next { problems.append("\(name): a hole before") }
            if header["previous"] as? String != previous { problems.append("\(name): the chain is broken") }
            let body = bytes.prefix(bytes.count - last.count - 1)
            let hash = SHA256.hash(data: body).hexadecimal
            if end["sha256"] as? String != hash { problems.append("\(name): the hash is wrong") }
            previous = hash
            next = (header["last"] as? Int ?? 0) + 1
            for object in objects where object["insert"] as? String == "Item" {
                if let id = object["id"] as? String { items.append(id.replacing("-", with: "")) }
            }
        }
    }
}
