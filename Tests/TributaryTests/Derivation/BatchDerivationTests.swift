import TestSupport
import Testing
import TributaryChanges
import TributaryStore

@testable import Tributary

/// Batches compute derived attributes as saves do.
struct BatchDerivationTests {
    private typealias Row = [String: PropertyValue]

    private func id(_ number: Int) -> UniqueID { UniqueID(high: 9, low: UInt64(number)) }

    private func value(_ container: PersistentContainer, _ number: Int, _ entity: String, _ key: String) throws
        -> PropertyValue?
    {
        let row = try container.store.read { try $0.row(id(number), rootEntity: entity) }
        return row.flatMap { row in row.entity.propertyIndex(named: key).map { row.values[$0] } }
    }

    private func teamOfTwo(_ container: PersistentContainer) async throws {
        try await container.execute(BatchInsertRequest("Team", rows: [["_id": .uuid(id(1)), "name": .string("Blue")]]))
        let rows: [Row] = [
            ["_id": .uuid(id(2)), "name": .string("Ève"), "pay": .double(3), "team": .reference(id(1))],
            ["_id": .uuid(id(3)), "name": .string("Bob"), "pay": .double(5), "team": .reference(id(1))],
        ]
        try await container.execute(BatchInsertRequest("Member", rows: rows))
    }

    @Test
    func insertedObjectsAndThoseThatDependOnThemHaveTheirValues() async throws {
        let folder = try TemporaryFolder("batchderived")
        let container = try await DerivedModel.open(folder)
        try await teamOfTwo(container)
        #expect(try value(container, 2, "Member", "key") == .string("eve"))
        #expect(try value(container, 2, "Member", "loudTeamName") == .string("BLUE"))
        #expect(try value(container, 2, "Member", "changed") == .date(1_700_000_000))
        #expect(try value(container, 1, "Team", "size") == .integer(2))
        #expect(try value(container, 1, "Team", "total") == .double(8))
        #expect(try value(container, 1, "Team", "least") == .double(3))
        #expect(try value(container, 1, "Team", "most") == .double(5))
        try await container.close()
    }

    @Test
    func anUpdateReachesBothTheOldAndTheNewOwner() async throws {
        let folder = try TemporaryFolder("batchderived")
        let container = try await DerivedModel.open(folder)
        try await teamOfTwo(container)
        try await container.execute(BatchInsertRequest("Team", rows: [["_id": .uuid(id(4)), "name": .string("Red")]]))
        try await container.execute(
            BatchUpdateRequest(
                "Member",
                predicate: try ObjectPredicate(parsing: "name == 'Bob'"),
                setting: ["team": .value(.reference(id(4))), "pay": .increment(.double(1))]
            )
        )
        #expect(try value(container, 1, "Team", "size") == .integer(1))
        #expect(try value(container, 1, "Team", "total") == .double(3))
        #expect(try value(container, 4, "Team", "size") == .integer(1))
        #expect(try value(container, 4, "Team", "most") == .double(6))
        #expect(try value(container, 3, "Member", "loudTeamName") == .string("RED"))
        try await container.execute(BatchUpdateRequest("Team", setting: ["name": .value(.string("Grey"))]))
        #expect(try value(container, 2, "Member", "loudTeamName") == .string("GREY"))
        try await container.close()
    }

    @Test
    func aDeletionReachesThoseWhoLoseAMember() async throws {
        let folder = try TemporaryFolder("batchderived")
        let container = try await DerivedModel.open(folder)
        try await teamOfTwo(container)
        try await container.execute(
            BatchDeleteRequest("Member", predicate: try ObjectPredicate(parsing: "name == 'Bob'"))
        )
        #expect(try value(container, 1, "Team", "size") == .integer(1))
        #expect(try value(container, 1, "Team", "most") == .double(3))
        try await container.execute(BatchDeleteRequest("Team"))
        #expect(try value(container, 2, "Member", "loudTeamName") == .null)
        try await container.close()
    }

    @Test
    func theContextThatRunsABatchShowsTheDerivedValues() async throws {
        let folder = try TemporaryFolder("batchderived")
        let container = try await DerivedModel.open(folder)
        try await teamOfTwo(container)
        let id = id(1)
        try await container.performBackgroundTask { context in
            let team = try #require(try context.fetch(FetchRequest("Team")).first)
            #expect(try team.value(forKey: "size") == .integer(2))
            var request = BatchDeleteRequest("Member")
            request.refreshesContext = true
            try context.execute(request)
            #expect(try team.value(forKey: "size") == .integer(0) && team.uniqueID == id)
        }
        try await container.close()
    }

    @Test
    func theStateIsThatOfObjectWiseSaves() async throws {
        var random = SeededGenerator.fromEnvironment()
        print("TRIBUTARY_SEED=\(random.seed)")
        for round in 0..<6 {
            let seed = random.next()
            let folders = [try TemporaryFolder.inMemory("batch"), try TemporaryFolder.inMemory("objects")]
            let pair = DerivedPair(
                batch: try await DerivedModel.open(folders[0], seed: seed),
                objects: try await DerivedModel.open(folders[1], seed: seed)
            )
            for step in 0..<14 {
                try await pair.step(&random)
                let (left, right) = try await pair.dumps()
                #expect(left == right, "round \(round), step \(step)")
                if left != right { break }
            }
            try await pair.close()
        }
    }
}
