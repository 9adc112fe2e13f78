import TestSupport
import Testing
import TributaryStore

@testable import Tributary

/// Batches compute derived attributes as saves do.
struct BatchDerivationTests {
    private typealias Row = [String: PropertyValue]

    let folder: TemporaryFolder
    let container: PersistentContainer

    private func id(_ number: Int) -> UniqueID { UniqueID(high: 9, low: UInt64(number)) }

    private func value(_ number: Int, _ entity: String, _ key: String) throws -> PropertyValue? {
        let row = try container.store.read { try $0.row(id(number), rootEntity: entity) }
        return row.flatMap { row in row.entity.propertyIndex(named: key).map { row.values[$0] } }
    }

    /// A team of two.
    init() async throws {
        folder = try TemporaryFolder("batchderived")
        container = try await DerivedModel.open(folder)
        try await container.execute(BatchInsertRequest("Team", rows: [["_id": .uuid(id(1)), "name": .string("Blue")]]))
        let rows: [Row] = [
            ["_id": .uuid(id(2)), "name": .string("Ève"), "pay": .double(3), "team": .reference(id(1))],
            ["_id": .uuid(id(3)), "name": .string("Bob"), "pay": .double(5), "team": .reference(id(1))],
        ]
        try await container.execute(BatchInsertRequest("Member", rows: rows))
    }

    @Test func insertedObjectsAndThoseThatDependOnThemHaveTheirValues() async throws {
        #expect(try value(2, "Member", "key") == .string("eve"))
        #expect(try value(2, "Member", "loudTeamName") == .string("BLUE"))
        #expect(try value(2, "Member", "changed") == .date(1_700_000_000))
        #expect(try value(1, "Team", "size") == .integer(2))
        #expect(try value(1, "Team", "total") == .double(8))
        #expect(try value(1, "Team", "least") == .double(3))
        #expect(try value(1, "Team", "most") == .double(5))
    }

    @Test func anUpdateReachesBothTheOldAndTheNewOwner() async throws {
        try await container.execute(BatchInsertRequest("Team", rows: [["_id": .uuid(id(4)), "name": .string("Red")]]))
        try await container.execute(
            BatchUpdateRequest(
                "Member",
                predicate: try ObjectPredicate(parsing: "name == 'Bob'"),
                setting: ["team": .value(.reference(id(4))), "pay": .increment(.double(1))]
            )
        )
        #expect(try value(1, "Team", "size") == .integer(1))
        #expect(try value(1, "Team", "total") == .double(3))
        #expect(try value(4, "Team", "size") == .integer(1))
        #expect(try value(4, "Team", "most") == .double(6))
        #expect(try value(3, "Member", "loudTeamName") == .string("RED"))
        try await container.execute(BatchUpdateRequest("Team", setting: ["name": .value(.string("Grey"))]))
        #expect(try value(2, "Member", "loudTeamName") == .string("GREY"))
    }

    @Test func aDeletionReachesThoseWhoLoseAMember() async throws {
        try await container.execute(
            BatchDeleteRequest("Member", predicate: try ObjectPredicate(parsing: "name == 'Bob'"))
        )
        #expect(try value(1, "Team", "size") == .integer(1))
        #expect(try value(1, "Team", "most") == .double(3))
        try await container.execute(BatchDeleteRequest("Team"))
        #expect(try value(2, "Member", "loudTeamName") == .null)
    }

    @Test func theContextThatRunsABatchShowsTheDerivedValues() async throws {
        let id = id(1)
        try await container.performBackgroundTask { context in
            let team = try #require(try context.fetch(FetchRequest("Team")).first)
            #expect(try team.value(forKey: "size") == .integer(2))
            var request = BatchDeleteRequest("Member")
            request.refreshesContext = true
            try context.execute(request)
            #expect(try team.value(forKey: "size") == .integer(0) && team.uniqueID == id)
        }
    }

    @Test func theStateIsThatOfObjectWiseSaves() async throws {
        var random = SeededGenerator.printingSeed()
        for round in 0..<6 {
            let pair = try await DerivedPair(seed: random.next())
            for step in 0..<14 {
                try await pair.step(&random)
                let (left, right) = try pair.dumps()
                #expect(left == right, "round \(round), step \(step)")
                if left != right { break }
            }
            try await pair.close()
        }
    }
}
