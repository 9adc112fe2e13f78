import TestSupport
import Testing

@testable import Tributary

/// The table of merge policies against what both sides have done: what is stored, what the object shows, what the
/// conflict says.
@Suite("Merge policy × situation")
struct MergePolicyTableTests {
    private let race: PolicyRace

    init() async throws { race = try await PolicyRace() }

    private func check(_ outcome: PolicyRace.Outcome, _ rule: PolicyRace.Rule, _ expected: [String: PropertyValue]) {
        for (key, value) in expected {
            #expect(outcome.stored?[key] == value, "\(rule): \(key) in the store")
            if rule != .error { #expect(outcome.shown[key] == value, "\(rule): \(key) in the object") }
        }
        #expect((outcome.error != nil) == (rule == .error), "\(rule)")
        #expect(outcome.hasChanges == (rule == .error), "\(rule): changes stay only when the save throws")
        #expect(outcome.asked.count == (rule == .custom ? 1 : 0), "\(rule)")
        if rule != .error { #expect(outcome.state == .clean, "\(rule)") }
    }

    /// The conflict that the rule reports: as an error, or to its resolver.
    private func conflict(_ outcome: PolicyRace.Outcome, _ rule: PolicyRace.Rule) throws -> MergeConflict? {
        guard rule == .error || rule == .custom else { return nil }
        let all = (outcome.error?.conflicts ?? []) + outcome.asked
        #expect(all.count == 1 && outcome.error?.constraintConflicts ?? [] == [])
        return all.first
    }

    @Test("disjoint properties changed", arguments: PolicyRace.Rule.allCases)
    func disjointProperties(_ rule: PolicyRace.Rule) async throws {
        let outcome = try await race.run(
            rule,
            here: { here, _ in here.name = "Here" },
            there: { there, _ in there.salary = 9 }
        )
        let expected: [PolicyRace.Rule: [String: PropertyValue]] = [
            .error: ["name": .string("Ann"), "salary": .double(9)],
            .storeTrump: ["name": .string("Here"), "salary": .double(9)],
            .objectTrump: ["name": .string("Here"), "salary": .double(9)],
            .overwrite: ["name": .string("Here"), "salary": .double(1)],
            .rollback: ["name": .string("Ann"), "salary": .double(9)],
            .custom: ["name": .string("Here"), "salary": .double(9), "code": .string("CU1")],
        ]
        check(outcome, rule, try #require(expected[rule]))
        guard let conflict = try conflict(outcome, rule) else { return }
        #expect(conflict.objectID == race.id && !conflict.isDeletion)
        #expect(conflict.changedProperties == ["name"] && conflict.changedInStore == ["salary"])
        #expect(conflict.cached["name"] == .string("Ann") && conflict.cached["salary"] == .double(1))
        #expect(conflict.stored?["name"] == .string("Ann") && conflict.stored?["salary"] == .double(9))
        #expect(conflict.cached["department"] == .reference(race.red.uniqueID))
        #expect(conflict.cached.values["projects"] == nil, "snapshots have no to-many relationships")
        if rule == .error { #expect(outcome.shown["name"] == .string("Here")) }
    }

    @Test("same property changed", arguments: PolicyRace.Rule.allCases)
    func sameProperty(_ rule: PolicyRace.Rule) async throws {
        let outcome = try await race.run(
            rule,
            here: { here, _ in
                here.name = "Here"
                here.age = 41
            },
            there: { there, _ in there.name = "There" }
        )
        let expected: [PolicyRace.Rule: [String: PropertyValue]] = [
            .error: ["name": .string("There"), "age": .integer(20)],
            .storeTrump: ["name": .string("There"), "age": .integer(41)],
            .objectTrump: ["name": .string("Here"), "age": .integer(41)],
            .overwrite: ["name": .string("Here"), "age": .integer(41)],
            .rollback: ["name": .string("There"), "age": .integer(20)],
            .custom: ["name": .string("Here"), "age": .integer(41), "code": .string("CU1")],
        ]
        check(outcome, rule, try #require(expected[rule]))
        guard let conflict = try conflict(outcome, rule) else { return }
        #expect(conflict.changedProperties == ["name", "age"] && conflict.changedInStore == ["name"])
        #expect(conflict.stored?["name"] == .string("There"))
    }

    @Test("deleted in the store, updated here", arguments: PolicyRace.Rule.allCases)
    func deletedThereUpdatedHere(_ rule: PolicyRace.Rule) async throws {
        let outcome = try await race.run(
            rule,
            here: { here, _ in here.name = "Here" },
            there: { there, context in context.delete(there) }
        )
        #expect(outcome.stored == nil, "a deletion stands")
        #expect(outcome.shown["name"] == .string("Here"), "values stay readable")
        #expect(outcome.state == (rule == .error ? .updated : .gone))
        #expect((outcome.error != nil) == (rule == .error))
        guard let conflict = try conflict(outcome, rule) else { return }
        #expect(conflict.stored == nil && !conflict.isDeletion)
        #expect(conflict.changedProperties == ["name"] && conflict.changedInStore == [])
        #expect(conflict.cached["name"] == .string("Ann"))
    }

    @Test("updated in the store, deleted here", arguments: PolicyRace.Rule.allCases)
    func updatedThereDeletedHere(_ rule: PolicyRace.Rule) async throws {
        let outcome = try await race.run(
            rule,
            here: { here, context in context.delete(here) },
            there: { there, _ in there.salary = 9 }
        )
        let isDeleted = rule == .objectTrump || rule == .overwrite || rule == .custom
        #expect((outcome.stored == nil) == isDeleted)
        if !isDeleted { #expect(outcome.stored?["salary"] == .double(9)) }
        switch rule {
        case .error: #expect(outcome.state == .deleted && outcome.hasChanges)
        case .storeTrump, .rollback: #expect(outcome.state == .clean && outcome.shown["salary"] == .double(9))
        case .objectTrump, .overwrite, .custom: #expect(outcome.state == .gone && !outcome.hasChanges)
        }
        guard let conflict = try conflict(outcome, rule) else { return }
        #expect(conflict.isDeletion && conflict.changedProperties == [] && conflict.changedInStore == ["salary"])
        #expect(conflict.stored?["salary"] == .double(9))
    }

    @Test("deleted on both sides", arguments: PolicyRace.Rule.allCases)
    func deletedOnBothSides(_ rule: PolicyRace.Rule) async throws {
        let outcome = try await race.run(
            rule,
            here: { here, context in context.delete(here) },
            there: { there, context in context.delete(there) }
        )
        #expect(outcome.error == nil && outcome.asked.isEmpty, "there is nothing to decide")
        #expect(outcome.stored == nil && outcome.state == .gone && !outcome.hasChanges)
    }

    @Test("to-one changed on both sides", arguments: PolicyRace.Rule.allCases)
    func toOneOnBothSides(_ rule: PolicyRace.Rule) async throws {
        let (blue, green) = (race.blue, race.green)
        let outcome = try await race.run(
            rule,
            here: { here, context in here.department = context.object(with: blue, as: Department.self) },
            there: { there, context in there.department = context.object(with: green, as: Department.self) }
        )
        check(outcome, rule, ["department": .reference((rule.keepsTheStore ? green : blue).uniqueID)])
        let members = try await race.container.performBackgroundTask { context in
            try [blue, green].map { try context.object(with: $0).objectIDs(forKey: "employees").count }
        }
        #expect(members == (rule.keepsTheStore ? [0, 1] : [1, 0]), "the other end says the same")
        guard let conflict = try conflict(outcome, rule) else { return }
        #expect(conflict.changedProperties == ["department"] && conflict.changedInStore == ["department"])
        #expect(conflict.cached["department"] == .reference(race.red.uniqueID))
        #expect(conflict.stored?["department"] == .reference(green.uniqueID))
    }

    @Test("a newer row was read before the save", arguments: PolicyRace.Rule.allCases)
    func contextToRowCache(_ rule: PolicyRace.Rule) async throws {
        // The fetch brings the newer row into the context; the changed object stands on the older one.
        let outcome = try await race.run(
            rule,
            rereads: true,
            here: { here, _ in here.name = "Here" },
            there: { there, _ in there.name = "There" }
        )
        check(outcome, rule, ["name": .string(rule.keepsTheStore ? "There" : "Here")])
        guard let conflict = try conflict(outcome, rule) else { return }
        #expect(conflict.cached["name"] == .string("Ann") && conflict.stored?["name"] == .string("There"))
    }

    @Test("the store has moved past a pinned context", arguments: PolicyRace.Rule.allCases)
    func rowCacheToStore(_ rule: PolicyRace.Rule) async throws {
        // Nothing newer can be read at a pinned generation: only the save finds out.
        let outcome = try await race.run(
            rule,
            rereads: true,
            here: { here, context in
                try context.pin()
                here.name = "Here"
            },
            there: { there, _ in there.name = "There" }
        )
        check(outcome, rule, ["name": .string(rule.keepsTheStore ? "There" : "Here")])
        guard let conflict = try conflict(outcome, rule) else { return }
        #expect(conflict.changedInStore == ["name"])
    }

    @Test("a merged change is no conflict any more", arguments: PolicyRace.Rule.allCases)
    func merged(_ rule: PolicyRace.Rule) async throws {
        let id = race.id
        let background = race.container.newBackgroundContext(mergePolicy: rule.policy)
        try await background.perform { context in
            context.automaticallyMergesChangesFromParent = true
            context.retainsRegisteredObjects = true
            try #require(context.object(with: id, as: Employee.self)).name = "Here"
        }
        try await race.container.change(id) { $0.salary = 9 }
        try await background.perform { context in
            context.resolveConflict = { _, conflict in
                Issue.record("\(conflict)")
                return nil
            }
            let object = try #require(context.object(with: id, as: Employee.self))
            #expect(object.name == "Here" && object.salary == 9)
            try context.save()
            #expect(object.name == "Here" && object.salary == 9)
        }
    }

    @Test("the view context takes the store's side and moves with it", arguments: [MergePolicy.rollback, .storeTrump])
    @MainActor
    func viewContext(_ policy: MergePolicy) async throws {
        let (view, id) = (race.container.viewContext, race.id)
        view.mergePolicy = policy
        await race.container.mergePendingChanges()
        let object = try #require(view.object(with: id, as: Employee.self))
        object.name = "Here"
        try await race.container.save { context in
            try #require(context.object(with: id, as: Employee.self)).name = "There"
            try context.insert(Department.self).title = "new"
        }
        try view.save()
        #expect(object.name == "There" && !view.hasChanges)
        #expect(try view.count(for: FetchRequest("Department", where: "title == 'new'")) == 1)
    }
}

/// One cell of the table of merge policies: an object that one context has read and changed, and another has changed in
/// the store meanwhile.
struct PolicyRace {
    /// A policy, or a resolver that decides for each conflict.
    enum Rule: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case error, storeTrump, objectTrump, overwrite, rollback, custom

        var policy: MergePolicy { MergePolicy(rawValue: rawValue) ?? .error }
        var testDescription: String { rawValue }
        var keepsTheStore: Bool { self == .error || self == .storeTrump || self == .rollback }
    }

    struct Outcome: Sendable {
        var error: ConflictError?
        var stored: ObjectSnapshot?
        /// The values and the state of the object in its context.
        var shown: ObjectSnapshot
        var state: ObjectState
        var hasChanges: Bool
        var asked: [MergeConflict] = []
    }

    let folder: TemporaryFolder
    let container: PersistentContainer
    let id: ManagedObjectID
    let (red, blue, green): (ManagedObjectID, ManagedObjectID, ManagedObjectID)

    init() async throws {
        folder = try TemporaryFolder("policies")
        container = try await Company.open(folder)
        let ids = try await container.performBackgroundTask { context in
            let departments = try ["red", "blue", "green"].map { try context.department($0) }
            let employee = try context.hire("Ann")
            employee.age = 20
            employee.salary = 1
            employee.department = departments[0]
            employee.projects = [try context.insert(Project.self)]
            try context.save()
            return [employee.objectID] + departments.map(\.objectID)
        }
        (id, red, blue, green) = (ids[0], ids[1], ids[2], ids[3])
    }

    /// Reads and changes here, changes there, saves here.
    ///
    /// With `rereads` the context here reads the newer row before it saves, in a fetch; its object keeps the row that
    /// it has. A resolver of one's own sets the code of the live object, before it says `objectTrump`.
    func run(
        _ rule: Rule,
        rereads: Bool = false,
        here: @escaping @Sendable (Employee, ManagedObjectContext) throws -> Void,
        there: @escaping @Sendable (Employee, ManagedObjectContext) throws -> Void
    ) async throws -> Outcome {
        let id = id
        let background = container.newBackgroundContext(mergePolicy: rule.policy)
        try await background.perform { context in
            context.retainsRegisteredObjects = true
            try here(try context.existingObject(with: id, as: Employee.self), context)
        }
        try await container.save { try there(try $0.existingObject(with: id, as: Employee.self), $0) }
        var outcome = try await background.perform { context in
            let object = try #require(context.object(with: id, as: Employee.self))
            if rereads { _ = try context.fetch(FetchRequest("Employee")) }
            var asked: [MergeConflict] = []
            if rule == .custom {
                context.resolveConflict = { object, conflict in
                    asked.append(conflict)
                    if conflict.stored != nil, !conflict.isDeletion { (object as? Employee)?.code = "CU1" }
                    return .objectTrump
                }
            }
            var error: ConflictError?
            do { try context.save() } catch let conflict as ConflictError { error = conflict }
            return Outcome(
                error: error,
                shown: object.snapshot(),
                state: object.state,
                hasChanges: context.hasChanges,
                asked: asked
            )
        }
        outcome.stored = await container.performBackgroundTask { (try? $0.existingObject(with: id))?.snapshot() }
        return outcome
    }
}
