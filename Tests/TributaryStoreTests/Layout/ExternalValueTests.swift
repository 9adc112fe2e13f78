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
