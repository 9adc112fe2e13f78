import Synchronization
import TestSupport
import Testing

@testable import Tributary

/// Migration as a program meets it: options, progress, stages of its own, and its objects afterwards.
@Suite struct MigrationContainerTests {
    private static let old = """
        version: "1"
        entities:
          Employee: {attributes: {name: String, pay: String?}, relationships: {department: {to: Department?, inverse: employees}}}
          Department: {attributes: {title: String?}, relationships: {employees: {to: Employee, many: true, inverse: department}}}
        """
    private static let new = """
        version: "2"
        entities:
          Person: {abstract: true, attributes: {name: String}}
          Worker: {parent: Person, renamed_from: Employee, attributes: {grade: {type: Integer 16, default: 1}, wage: {type: String, optional: true, renamed_from: pay}}, relationships: {team: {to: Department?, inverse: members, renamed_from: department}}}
          Department: {attributes: {title: String?}, relationships: {members: {to: Worker, many: true, inverse: team, renamed_from: employees}}}
        """
    private static let other = """
        version: "3"
        entities:
          Employee: {attributes: {name: String, pay: Double?}, relationships: {department: {to: Department?, inverse: employees}}}
          Department: {attributes: {title: String?}, relationships: {employees: {to: Employee, many: true, inverse: department}}}
        """

    /// Three employees in two departments, in a store of the first version that is closed again.
    private func filled() async throws -> (folder: TemporaryFolder, token: HistoryToken) {
        let folder = try TemporaryFolder("migration")
        let container = try await folder.openStore(Self.old)
        try await container.performBackgroundTask { context in
            let departments = try ["Sales", "Lab"].map { title in
                let department = try context.insert("Department", ["title": .string(title)])
                return department
            }
            for (index, name) in ["Ann", "Bob", "Cem"].enumerated() {
                let employee = try context.insert(entity: "Employee")
                try employee.setValue(.string(name), forKey: "name")
                try employee.setValue(.string("\(index + 1)00"), forKey: "pay")
                try employee.setValue(.reference(departments[index % 2].uniqueID), forKey: "department")
            }
            try context.save()
        }
        let token = try container.currentHistoryToken()
        try await container.close()
        return (folder, token)
    }

    @Test(.timeLimit(.minutes(30))) func objectsAreThereUnderTheirNewNames() async throws {
        let (folder, token) = try await filled()
        let heard = Mutex<[MigrationProgress]>([])
        let container = try await folder.openStore(
            Self.new,
            MigrationOptions(onMigration: { progress in heard.withLock { $0.append(progress) } })
        )
        let found = try await container.performBackgroundTask { context in
            try context.fetch(FetchRequest("Worker", where: "team.title == 'Sales'", sortKeys: [SortKey("name")]))
                .map { $0.snapshot() }
        }
        #expect(found.map { $0["name"] } == [.string("Ann"), .string("Cem")])
        #expect(found.map { $0["wage"] } == [.string("100"), .string("300")])
        #expect(found.map { $0["grade"] } == [.integer(1), .integer(1)])
        let reports = heard.withLock { $0 }
        #expect(reports.allSatisfy { $0.from == "1" && $0.to == "2" })
        #expect(reports.last?.entity == nil && reports.map(\.done).max() == 3)
        let history = try container.fetchHistory(after: nil)
        #expect(Set(history.flatMap(\.changes).map(\.objectID.entity)) == ["Worker", "Department"])
        #expect(try container.fetchHistory(after: token).isEmpty)
    }

    @Test(.timeLimit(.minutes(30))) func nothingIsHeardWhenThereIsNothingToMigrate() async throws {
        let (folder, _) = try await filled()
        let options = MigrationOptions(migrates: false, onMigration: { _ in Issue.record("there is no migration") })
        try await folder.openStore(Self.old, options).close()
    }

    @Test(.timeLimit(.minutes(30))) func aForbiddenMigrationThrowsItsPlan() async throws {
        let (folder, _) = try await filled()
        let error = await #expect(throws: MigrationError.self) {
            try await folder.openStore(Self.new, MigrationOptions(migrates: false))
        }
        guard case .notAllowed(let plan)? = error else { throw error ?? .olderModel(store: "", model: "", []) }
        #expect(plan.changes.map(\.kind).contains(.renameEntity))
        #expect("\(plan.changes)".contains("rename Worker.wage (from 'pay' to 'wage')"))
        try await folder.openStore(Self.old).close()
    }

    @Test(.timeLimit(.minutes(30))) func anOlderModelIsRefused() async throws {
        let (folder, _) = try await filled()
        try await folder.openStore(Self.new).close()
        let error = await #expect(throws: MigrationError.self) { try await folder.openStore(Self.old) }
        guard case .olderModel("2", "1", _)? = error else { throw error ?? .olderModel(store: "", model: "", []) }
    }

    @Test(.timeLimit(.minutes(30)))
    func aMappingThatCannotBeInferredIsRefusedAndTheStoreStaysAsItWas() async throws {
        let (folder, _) = try await filled()
        let error = await #expect(throws: MigrationError.self) { try await folder.openStore(Self.other) }
        guard case .notInferable("1", "3", let refusals)? = error else {
            throw error ?? .olderModel(store: "", model: "", [])
        }
        #expect(refusals.map(\.property) == ["pay"])
        try await folder.openStore(Self.old).close()
    }

    @Test(.timeLimit(.minutes(30))) func aStageOfOnesOwnDoesWhatCannotBeInferred() async throws {
        let (folder, _) = try await filled()
        let before = Mutex(0)
        let stage = MigrationStage(
            from: "1",
            to: "3",
            willMigrate: { editor in
                let count = try editor.objects("Employee").count
                before.withLock { $0 = count }
                #expect(editor.model.version == "1")
            },
            didMigrate: { editor in
                for employee in try editor.objects("Employee") {
                    guard case .string(let text)? = try editor.formerValue(of: "pay", for: employee.id) else {
                        continue
                    }
                    try editor.update(employee.id, ["pay": .double(Double(text) ?? 0)])
                }
                let made = try editor.insert("Employee", ["name": .string("Dan")])
                let lab = try editor.objects("Department", where: ObjectPredicate(parsing: "title == 'Lab'"))
                try editor.link(lab[0].id, to: "employees", [made])
                try editor.delete(editor.objects("Employee", where: ObjectPredicate(parsing: "name == 'Bob'"))[0].id)
            }
        )
        let container = try await folder.openStore(Self.other, MigrationOptions(stages: [stage]))
        let found = try await container.performBackgroundTask { context in
            try context.fetch(FetchRequest("Employee", sortKeys: [SortKey("name")])).map { $0.snapshot() }
        }
        #expect(before.withLock { $0 } == 3)
        #expect(found.map { $0["name"] } == [.string("Ann"), .string("Cem"), .string("Dan")])
        #expect(found.map { $0["pay"] } == [.double(100), .double(300), .null])
        #expect(found[2]["department"] != .null)
        try await container.close()
    }

    @Test(.timeLimit(.minutes(30))) func aStageWritesTheValuesOfCounters() async throws {
        func text(_ version: Int) -> String {
            let stock = "stock: {type: Integer 64, default: 10, merge: counter}"
            let other = version == 1 ? "" : ", other: String?"
            return "version: \"\(version)\"\nentities:\n  Item: {attributes: {name: String, \(stock)\(other)}}"
        }
        let folder = try TemporaryFolder("counters")
        let former = try await folder.openStore(text(1))
        try await former.save { context in
            _ = try context.insert("Item", ["name": .string("old"), "stock": .integer(4)])
        }
        try await former.close()
        let stage = MigrationStage(
            from: "1",
            to: "2",
            didMigrate: { editor in
                let old = try editor.objects("Item")[0].id
                try editor.update(old, ["stock": .integer(6)])
                try editor.update(old, ["stock": .integer(7)])
                for (name, stock) in [("new", 5), ("same", 10)] as [(String, Int64)] {
                    let made = try editor.insert("Item", ["name": .string(name), "stock": .integer(stock)])
                    if stock == 5 { try editor.update(made, ["stock": .integer(8)]) }
                }
            }
        )
        let container = try await folder.openStore(text(2), MigrationOptions(stages: [stage]))
        let found = try await container.performBackgroundTask { context in
            try context.fetch(FetchRequest("Item", sortKeys: [SortKey("name")])).map { $0.snapshot() }
        }
        #expect(found.map { $0["stock"] } == [.integer(8), .integer(7), .integer(10)])
        try await container.close()
    }

    @Test(.timeLimit(.minutes(30)))
    func aStageThatThrowsLeavesTheStoreAtTheOldVersion() async throws {
        struct Refused: Error {}
        let (folder, _) = try await filled()
        let stage = MigrationStage(from: "1", to: "3", didMigrate: { _ in throw Refused() })
        await #expect(throws: MigrationError.stageFailed(from: "1", to: "3", reason: "Refused()")) {
            try await folder.openStore(Self.other, MigrationOptions(stages: [stage]))
        }
        try await folder.openStore(Self.old).close()
    }
}
