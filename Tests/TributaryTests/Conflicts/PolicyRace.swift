import TestSupport
import Testing
import Tributary

/// One cell of the table of merge policies: an object that one context has read and changed, and another has changed in
/// the store meanwhile.
struct PolicyRace {
    /// A policy, or a resolver that decides for each conflict.
    enum Rule: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case error, storeTrump, objectTrump, overwrite, rollback, custom

        var policy: MergePolicy { MergePolicy(rawValue: rawValue) ?? .error }
        var testDescription: String { rawValue }
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
            let departments = try ["red", "blue", "green"].map { title in
                let department = try context.insert(Department.self)
                department.title = title
                return department
            }
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
    /// it has. `resolving` is what a resolver of one's own does with the live object, before it says `objectTrump`.
    func run(
        _ rule: Rule,
        rereads: Bool = false,
        here: @escaping @Sendable (Employee, ManagedObjectContext) throws -> Void,
        there: @escaping @Sendable (Employee, ManagedObjectContext) throws -> Void,
        resolving: @escaping @Sendable (Employee) -> Void = { $0.code = "CU1" }
    ) async throws -> Outcome {
        let id = id
        let background = container.newBackgroundContext(mergePolicy: rule.policy)
        try await background.perform { context in
            context.retainsRegisteredObjects = true
            try here(try #require(try context.existingObject(with: id) as? Employee), context)
        }
        try await container.performBackgroundTask { context in
            try there(try #require(try context.existingObject(with: id) as? Employee), context)
            try context.save()
        }
        var outcome = try await background.perform { context in
            let object = try #require(context.object(with: id, as: Employee.self))
            if rereads { _ = try context.fetch(FetchRequest("Employee")) }
            var asked: [MergeConflict] = []
            if rule == .custom {
                context.resolveConflict = { object, conflict in
                    asked.append(conflict)
                    if conflict.stored != nil, !conflict.isDeletion { (object as? Employee).map(resolving) }
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
        outcome.stored = await container.performBackgroundTask { context in
            (try? context.existingObject(with: id))?.snapshot()
        }
        return outcome
    }
}
