import SimulationRunning
import Tributary
import TributaryChanges
import TributaryStore

/// What the simulation asks of a context, in this process or in another one.
enum ContextRequest: Sendable, Codable {
    /// An edit of the program; the name is that of its undo group.
    case run(ContextStep, name: String)
    case batch(ContextStep)
    case save(policy: String, forgetsSteps: Bool)
    /// The objects that the context shows, and its unsaved changes.
    case show(keepsObjects: Bool)
    /// The number of a query; from 100 on without the unsaved changes.
    case fetch(Int)
}

/// What a context answers; each request fills a part of it.
struct ContextReply: Sendable, Codable {
    /// Why a batch was refused.
    var refusal: String?
    var outcome = Oracle.SaveOutcome.nothing
    var lines: [String] = []
    var changes: [String] = []
    /// The names of the groups that the next undo and redo revert.
    var groups: [String] = []
    var discarded: Set<Int> = []
    /// The fetched objects, the values by which they are sorted, the fetched IDs, and the count.
    var objects: [Int] = []
    var keys: [String] = []
    var ids: [Int] = []
    var count = 0
}

extension ContextRequest {
    /// Does what is asked, on the queue of the context.
    func answer(in context: ManagedObjectContext, _ kept: OpenContexts.Kept) throws -> ContextReply {
        var reply = ContextReply()
        switch self {
        case .run(let step, let name):
            try ContextWorld.run(step, in: context)
            if step.isEdit { context.undoStack?.setActionName(name) }
        case .batch(let step):
            do {
                try ContextWorld.runBatch(step, in: context)
            } catch let error as BatchError {
                reply.refusal = "\(error)"
            }
        case .save(let policy, let forgetsSteps):
            if forgetsSteps { context.undoStack?.removeAllActions() }
            reply.outcome = try ContextRequest.save(policy, in: context)
        case .show(let keepsObjects):
            let objects = try ContextModel.entities.flatMap { try context.fetch(FetchRequest($0.name)) }
            if keepsObjects { kept.objects += objects }
            reply.lines = try ContextRequest.lines(objects, context)
            reply.changes = ContextRequest.changes(context)
            reply.groups = [context.undoStack?.undoActionName ?? "", context.undoStack?.redoActionName ?? ""]
            (reply.discarded, kept.discarded) = (kept.discarded, [])
        case .fetch(let number):
            let query = ContextQuery.numbered(number)
            var request = try query.request()
            request.includesPendingChanges = number < 100
            for object in try context.fetch(request) {
                reply.objects.append(ContextModel.object(object.uniqueID))
                // An object that is deleted here still has its values.
                reply.keys.append(ContextModel.text(try object.value(forKey: query.sort)))
            }
            reply.ids = try context.fetchIDs(request).map { ContextModel.object($0.uniqueID) }
            reply.count = try context.count(for: request)
        }
        return reply
    }

    private static func save(_ policy: String, in context: ManagedObjectContext) throws -> Oracle.SaveOutcome {
        context.mergePolicy = MergePolicy(rawValue: policy) ?? .objectTrump
        do {
            try context.save()
            return .nothing
        } catch is ValidationError {
            return .denied
        } catch let error as ConflictError {
            let objects = error.conflicts.map { ContextModel.object($0.objectID.uniqueID) }.sorted()
            let keys = error.constraintConflicts.map { conflict in
                let ids = conflict.objectIDs + (conflict.stored.map { [$0.id] } ?? [])
                return OracleKeys.text(conflict.values, ids.map { ContextModel.object($0.uniqueID) })
            }
            return .conflict(objects.map(ContextModel.name) + keys.sorted())
        } catch ContextError.duplicateID {
            return .taken
        }
    }

    private static func members(_ object: ManagedObject, _ name: String) throws -> [Int] {
        let members = try object.objectIDs(forKey: name).map { ContextModel.object($0.uniqueID) }
        return name == "row" ? members : members.sorted()
    }

    /// What a context shows; related objects are the fetched ones, and one object for each ID.
    private static func lines(_ objects: [ManagedObject], _ context: ManagedObjectContext) throws -> [String] {
        let present = Set(objects).union(context.deletedObjects)
        var lines: [Int: String] = [:]
        for object in objects {
            let number = ContextModel.object(object.uniqueID)
            guard lines.updateValue(try line(object, number), forKey: number) == nil else {
                throw Divergence("two objects are \(ContextModel.name(number))")
            }
            for property in ContextModel.properties(number) {
                if case .attribute = property.kind { continue }
                for other in try object.objects(forKey: property.name) where !present.contains(other) {
                    let name = ContextModel.name(ContextModel.object(other.uniqueID))
                    throw Divergence("\(ContextModel.name(number)).\(property.name) has another object \(name)")
                }
            }
        }
        return lines.sorted { $0.key < $1.key }.map(\.value)
    }

    /// The unsaved changes of a context, without counters and links.
    private static func changes(_ context: ManagedObjectContext) -> [String] {
        func line(_ verb: String, _ object: ManagedObject) -> String {
            OracleDelta.line(verb, ContextModel.object(object.uniqueID), object.changedValues().keys)
        }
        let updated = context.updatedObjects.filter { !$0.changedValues().isEmpty }.map { line("update", $0) }
        let deleted = context.deletedObjects.map { OracleDelta.line("delete", ContextModel.object($0.uniqueID), []) }
        return (context.insertedObjects.map { line("insert", $0) } + updated.filter { !$0.hasSuffix(" ") } + deleted)
            .sorted()
    }

    private static func line(_ object: ManagedObject, _ number: Int) throws -> String {
        let words = try ContextModel.entities[ContextModel.entity(of: number)].properties.map { property in
            switch property.kind {
            case .attribute, .toOne, .claim, .owner:
                "\(property.name)=\(ContextModel.text(try object.value(forKey: property.name)))"
            case .toMany, .pairs: "\(property.name)=\(try members(object, property.name).map(ContextModel.name))"
            }
        }
        return "\(ContextModel.name(number)) \(words.joined(separator: " "))"
    }
}
