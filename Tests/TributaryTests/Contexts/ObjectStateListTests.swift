import TestSupport
import Testing

@testable import Tributary

/// The list of changed objects has exactly the objects whose state says so, whatever a program does.
@Suite struct ObjectStateListTests {
    private struct Stop: Error {}

    private static func violation(_ context: ManagedObjectContext, _ known: [ManagedObject]) -> String? {
        let listed = context.pending.objects
        guard context.pending.count == listed.count else { return "count \(context.pending.count) of \(listed.count)" }
        for object in listed where !object.isDirty { return "\(object.objectID) is listed and \(object.state)" }
        let members = Set(listed)
        for object in Set(known + context.registry.objects) where object.managedObjectContext === context {
            guard object.isDirty == members.contains(object) else { return "\(object.objectID) is \(object.state)" }
            guard (object.dirtyIndex >= 0) == object.isDirty else { return "\(object.objectID) has a wrong index" }
            let registered = context.registry.object(object.uniqueID, rootIndex: object.descriptor.rootIndex)
            guard object.state == .gone || registered === object else { return "\(object.objectID) is not registered" }
            guard object.state != .clean || object.changed.isEmpty else { return "\(object.objectID) kept changes" }
        }
        let counts = Dictionary(grouping: listed, by: \.descriptor.rootIndex).mapValues(\.count)
        for (root, count) in counts where context.pending.count(rootIndex: root) != count { return "root \(root)" }
        return nil
    }

    private static func step(
        _ context: ManagedObjectContext,
        _ known: inout [ManagedObject],
        _ random: inout SeededGenerator
    ) throws -> String {
        let object = known.randomElement(using: &random)
        switch Int.random(in: 0..<14, using: &random) {
        case 0, 1:
            known.append(try context.hire("n\(known.count)"))
            return "insert"
        case 2:
            known.append(try context.insert(Project.self))
            return "insert project"
        case 3, 4:
            if let employee = object as? Employee, !employee.isDeleted { employee.salary = (employee.salary ?? 0) + 1 }
            return "edit"
        case 5:
            if let object { context.delete(object) }
            return "delete"
        case 6:
            guard let employee = object as? Employee, !employee.isDeleted else { return "" }
            let projects = known.filter { $0 is Project && !$0.isDeleted }
            if let project = projects.randomElement(using: &random) { try employee.link(project, forKey: "projects") }
            return "link"
        case 7:
            context.undo()
            return "undo"
        case 8:
            context.redo()
            return "redo"
        case 9:
            try context.save()
            return "save"
        case 10:
            context.rollback()
            return "rollback"
        case 11:
            if let object { context.refresh(object, mergeChanges: Bool.random(using: &random)) }
            return "refresh"
        case 12:
            var local = known
            var steps = random
            do {
                try context.performInOneTransaction {
                    for _ in 0..<3 { _ = try simpleStep(context, &local, &steps) }
                    try context.save()
                    for _ in 0..<3 { _ = try simpleStep(context, &local, &steps) }
                    throw Stop()
                }
            } catch is Stop {}
            known = local
            random = steps
            return "failing transaction"
        default:
            context.processPendingChanges()
            return "process"
        }
    }

    private static func simpleStep(
        _ context: ManagedObjectContext,
        _ known: inout [ManagedObject],
        _ random: inout SeededGenerator
    ) throws {
        switch Int.random(in: 0..<3, using: &random) {
        case 0: known.append(try context.hire("n\(known.count)"))
        case 1:
            if let employee = known.randomElement(using: &random) as? Employee, !employee.isDeleted {
                employee.salary = (employee.salary ?? 0) + 1
            }
        default: if let object = known.randomElement(using: &random) { context.delete(object) }
        }
    }

    @Test func theListFollowsFromTheStates() async throws {
        var random = SeededGenerator.printingSeed()
        let folder = try TemporaryFolder("states")
        let container = try await Company.open(folder)
        for run in 0..<5 {
            let seed = random.next()
            let failure = try await container.performBackgroundTask { context -> String? in
                var random = SeededGenerator(seed: seed)
                context.undoStack = UndoStack()
                context.mergePolicy = .objectTrump
                var known: [ManagedObject] = []
                var log: [String] = []
                for _ in 0..<100 {
                    log.append(try Self.step(context, &known, &random))
                    if let wrong = Self.violation(context, known) {
                        return wrong + "\n" + log.suffix(20).joined(separator: ", ")
                    }
                }
                return nil
            }
            #expect(failure == nil, "seed \(random.seed), run \(run)")
        }
    }
}
