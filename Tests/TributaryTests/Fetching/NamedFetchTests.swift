import TestSupport
import Testing
import Tributary

/// Fetch requests that the model names: what they find, and what stands in the place of their variables.
struct NamedFetchTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws {
        folder = try TemporaryFolder("named")
        let requests = """

            requests:
              paid: {entity: Employee, where: "salary >= $LEAST AND salary <= $MOST"}
              plain: {entity: Employee, subentities: false}
              few: {entity: Employee, limit: 2, batch: 1}
              colleagues: {entity: Employee, where: "department == $DEPARTMENT AND name IN $NAMES"}
            """
        container = try await Company.open(folder, model: Model(entities: Company.entities(), requests))
        try await container.save { context in
            let sales = try context.insert(Department.self)
            for (name, salary) in [("Ann", 10.0), ("Bob", 20), ("Cid", 30)] {
                let employee = try context.hire(name)
                employee.salary = salary
                if name != "Cid" { employee.department = sales }
            }
            let foreman = try context.insert(Foreman.self)
            foreman.name = "Meg"
            foreman.salary = 40
        }
        await container.mergePendingChanges()
    }

    private func names(_ request: FetchRequest<ManagedObject>) async throws -> [String] {
        var request = request
        request.sortKeys = [SortKey("name")]
        let sorted = request
        return try await container.performBackgroundTask { try $0.fetch(sorted, as: Employee.self).map(\.name) }
    }

    @Test func variablesStandForValues() async throws {
        let request = try container.fetchRequest(
            named: "paid",
            substituting: ["LEAST": .value(.double(20)), "MOST": .value(.double(30))]
        )
        #expect(request.entityName == "Employee" && request.fetchLimit == nil && request.includesSubentities)
        #expect(try await names(request) == ["Bob", "Cid"])
        #expect(try await container.count(for: request) == 2)
        let narrow = try container.fetchRequest(
            named: "paid",
            substituting: ["LEAST": .value(.double(40)), "MOST": .value(.double(99))]
        )
        #expect(try await names(narrow) == ["Meg"])
    }

    @Test @MainActor func anObjectAndAListMayStandForThem() throws {
        let view = container.viewContext
        let sales = try #require(view.fetch(Department.self).first)
        let request = try view.fetchRequest(
            named: "colleagues",
            substituting: ["DEPARTMENT": .object(sales.objectID), "NAMES": .list([.string("Ann"), .string("Cid")])]
        )
        #expect(try view.fetch(request, as: Employee.self).map(\.name) == ["Ann"])
        // Changes that are not saved count here as in every fetch.
        sales.employees = []
        #expect(try view.fetch(request).isEmpty)
    }

    @Test func theOptionsOfTheModelsRequestApply() async throws {
        #expect(try await names(container.fetchRequest(named: "plain")) == ["Ann", "Bob", "Cid"])
        let few = try container.fetchRequest(named: "few")
        #expect(few.fetchLimit == 2 && few.fetchBatchSize == 1)
        #expect(try await names(few) == ["Ann", "Bob"])
    }

    @Test func aVariableWithoutAValueAndAPredicateThatCannotBeReadAreErrors() async throws {
        let half = try container.fetchRequest(named: "paid", substituting: ["LEAST": .value(.double(1))])
        let error = await #expect(throws: (any Error).self) { try await names(half) }
        #expect(error.map { "\($0)" }?.contains("$MOST") == true)
        var broken = StoredFetchRequest(name: "broken", entity: "Employee")
        broken.predicate = "salary >="
        // A YAML model would be refused; one of Xcode's is read.
        let entities = [EntityDefinition(name: "Employee")]
        let model = try Model(version: "1", entities: entities, fetchRequests: ["broken": broken])
        let other = try await PersistentContainer(name: "broken", model: model, store: .memory)
        #expect(throws: ObjectPredicateError.self) { try other.fetchRequest(named: "broken") }
        #expect(throws: ContextError.unknownFetchRequest("none")) { try container.fetchRequest(named: "none") }
    }
}
