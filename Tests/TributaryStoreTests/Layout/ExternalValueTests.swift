import Foundation
import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// Large binaries beside the store: the attributes that have them, and the storage of all other values.
@Suite struct ExternalValueTests {
    private static let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    private static let large = PropertyValue.binary(bytes).json

    private func files(_ replica: Replica) -> [String] {
        (FileManager.default.subpaths(atPath: replica.path + "-blobs") ?? []).filter { $0.contains("/") }
    }

    @Test func `values of deleted and unknown objects lie in files too`() throws {
        let model = "  A: {attributes: {photo: {type: Binary, optional: true, external: true}}}"
        let plain = "  A: {attributes: {photo: Binary?}}"
        let (one, two) = (try Replica(Self.model(model)), try Replica(Self.model(plain)))
        let transactions = [
            ForeignTransaction(1, 1, clock: 1, .update("A", 1, ["photo": Self.large])),
            ForeignTransaction(1, 2, clock: 2, .insert("A", 1), .insert("A", 2, ["photo": Self.large])),
            ForeignTransaction(1, 3, clock: 3, .delete("A", 2)),
            ForeignTransaction(1, 4, clock: 4, .update("A", 3, ["photo": Self.large])),
        ]
        for transaction in transactions {
            try one.apply(transaction)
            try two.apply(transaction)
            #expect(try one.digest() == two.digest())
        }
        #expect(files(one).count == 1 && files(two).isEmpty)
        #expect(try one.dump() == two.dump())
        #expect(try PlainSQL(path: one.path).rows("SELECT typeof(photo) FROM A") == [["text"]])
    }

    @Test func `a missing file is found by the rows that name it, of unknown objects as well`() throws {
        let replica = try Replica(
            Self.model("  A: {attributes: {photo: {type: Binary, optional: true, external: true}}}\n  B: {}")
        )
        let other = PropertyValue.binary(Self.bytes.reversed()).json
        try replica.commit(.insert("A", 1, ["photo": Self.large]))
        try replica.apply(ForeignTransaction(1, 1, clock: 1, .update("A", 2, ["photo": other])))
        func faults(limit: Int = 10) throws -> Int {
            try replica.store.read { try $0.externalValues.faults(limit: limit) { _ in }.count }
        }
        #expect(try faults() == 0)
        try FileManager.default.removeItem(atPath: replica.path + "-blobs")
        #expect(try faults() == 2)
        #expect(try faults(limit: 1) == 1)
    }

    @Test func `the file of a value is durable before the save that names it`() throws {
        let replica = try Replica(
            Self.model("  A: {attributes: {photo: {type: Binary, optional: true, external: true}}}")
        )
        let calls = try DurableCalls(in: replica.folder.path) {
            try replica.commit(.insert("A", 1, ["photo": Self.large]))
        }
        let file = try #require(files(replica).first)
        let folder = "store.sqlite-blobs/\(file.prefix(2))"
        #expect(
            calls.contain(
                "sync .",
                "sync store.sqlite-blobs",
                "sync \(folder)/.draft-*",
                "name store.sqlite-blobs/\(file)",
                "sync \(folder)"
            ),
            "\(calls)"
        )
    }

    @Test(arguments: [10, 20, 40])
    func `the files of one save are made durable together`(_ count: Int) throws {
        let replica = try Replica(
            Self.model("  A: {attributes: {photo: {type: Binary, optional: true, external: true}}}")
        )
        let changes = (1...count).map { number in
            let bytes = Self.bytes + [UInt8(number)]
            return Change.insert("A", number, ["photo": PropertyValue.binary(bytes).json])
        }
        let calls = try DurableCalls(in: replica.folder.path) {
            try replica.store.write { _ = try $0.commit(LocalTransaction(author: "app", changes: changes)) }
        }
        let lines = "\(calls)".split(separator: "\n").filter { $0.contains("-blobs") }
        let drafts = lines.indices.filter { lines[$0].contains("/.draft-") }
        let names = lines.indices.filter { lines[$0].hasPrefix("name ") }
        #expect(drafts.count == count && names.count == count && files(replica).count == count)
        #expect(try #require(drafts.last) < #require(names.first), "no file is waited for alone")
        // The folder of all files is synchronized once, and each folder in it once after the names.
        #expect(lines.filter { $0 == "sync store.sqlite-blobs" }.count == 1)
        let folders = Set(files(replica).map { "sync store.sqlite-blobs/\($0.prefix(2))" })
        #expect(lines[(try #require(names.last) + 1)...].map(String.init).sorted() == folders.sorted())
    }

    @Test func `a save that fails leaves no file with a temporary name`() throws {
        let replica = try Replica(
            Self.model("  A: {attributes: {photo: {type: Binary, optional: true, external: true}}}")
        )
        try replica.commit(.insert("A", 2))
        #expect(throws: StoreError.self) {
            try replica.commit(.insert("A", 1, ["photo": Self.large]), .insert("A", 2))
        }
        #expect(files(replica).isEmpty)
    }

    @Test func `a column that two entities share has files only when both allow it`() throws {
        for (second, type) in [("Binary?", "blob"), ("{type: Binary, optional: true, external: true}", "text")] {
            let replica = try Replica(
                Self.model(
                    """
                      Root: {attributes: {x: String?}}
                      A: {parent: Root, attributes: {photo: {type: Binary, optional: true, external: true}}}
                      B: {parent: Root, attributes: {photo: \(second)}}
                    """
                )
            )
            try replica.commit(.insert("A", 1, ["photo": Self.large]), .insert("B", 2, ["photo": Self.large]))
            #expect(try PlainSQL(path: replica.path).rows("SELECT typeof(photo) FROM Root") == [[type], [type]])
        }
    }

    @Test(arguments: [BlobFolder.threshold, BlobFolder.threshold + 1])
    func `a value has a file when it is larger than the threshold, whoever wrote it`(_ count: Int) throws {
        let replica = try Replica(
            Self.model("  A: {attributes: {photo: {type: Binary, optional: true, external: true}}}")
        )
        let (own, foreign) = ([UInt8](repeating: 1, count: count), [UInt8](repeating: 2, count: count))
        try replica.commit(.insert("A", 1, ["photo": PropertyValue.binary(own).json]))
        let name = PropertyValue.blob(sha256: SHA256.hash(data: foreign).hexadecimal, size: Int64(count))
        try replica.store.write { transaction in
            let arriving = ForeignTransaction(1, 1, clock: 1, .insert("A", 2, ["photo": name.json]))
            try transaction.beginImport(writer: arriving.writer, header: arriving.header)
            try transaction.setBlobSource { _, _, take in try foreign.withUnsafeBytes(take) }
            try transaction.apply(arriving.changes)
            _ = try transaction.endImport()
        }
        let isFile = count > BlobFolder.threshold
        #expect(files(replica).count == (isFile ? 2 : 0))
        #expect(
            try PlainSQL(path: replica.path).rows("SELECT typeof(photo) FROM A")
                == Array(repeating: [isFile ? "text" : "blob"], count: 2)
        )
    }

    @Test func `a uniqueness constraint on it is refused`() throws {
        let texts = [
            "  A: {unique: [[photo]], attributes: {photo: {type: Binary, optional: true, external: true}}}",
            "  A: {unique: [[x, photo]], attributes: {x: String?, photo: {type: Binary, optional: true, external: true}}}",
            """
              A: {attributes: {photo: {type: Binary, optional: true, external: true}}}
              B: {parent: A, unique: [[photo]], attributes: {x: String?}}
            """,
        ]
        for text in texts {
            let error = try #require(throws: ModelError.self) { try Self.model(text) }
            #expect("\(error)".contains("'photo'") && "\(error)".contains("uniqueness constraint"))
        }
        _ = try Self.model("  A: {unique: [[photo]], attributes: {photo: Binary?}}")
    }

    @Test func `a change too large for a line of the log is refused`() throws {
        let replica = try Replica(
            Self.model("  A: {attributes: {photo: {type: Binary, optional: true, external: true}}}")
        )
        let huge = PropertyValue.binary([UInt8](repeating: 7, count: 12 << 20)).json
        #expect(throws: StoreError.self) { try replica.commit(.insert("A", 2), .insert("A", 1, ["photo": huge])) }
        #expect(try PlainSQL(path: replica.path).value("SELECT count(*) FROM A") == "0")
        let fitting = PropertyValue.binary([UInt8](repeating: 7, count: 11 << 20)).json
        try replica.commit(.insert("A", 1, ["photo": fitting]))
        #expect(try PlainSQL(path: replica.path).value("SELECT typeof(photo) FROM A") == "text")
    }

    private static func model(_ entities: String) throws -> Model {
        try Model(yaml: "version: \"1\"\nentities:\n" + entities)
    }
}
