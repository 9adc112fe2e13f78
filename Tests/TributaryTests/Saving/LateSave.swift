import TestSupport
import TributaryStore

@testable import Tributary

/// A context that saves after somebody else has changed the store.
struct LateSave: Sendable {
    enum Place: String, CaseIterable, Sendable {
        case view, pinned, free, child
    }

    /// Who changes the store meanwhile.
    enum Other: String, CaseIterable, Sendable {
        case context, container, segment
    }

    private let folder: TemporaryFolder
    private let model: Model
    let container: PersistentContainer
    private let second: PersistentContainer

    private static let entities = """
        Firm:
          attributes: {name: String?, code: String?}
          unique: [code]
          relationships:
            staff: {to: Person, many: true, inverse: employer, delete: Cascade}
            guests: {to: Guest, many: true, ordered: true, inverse: host}
            leases: {to: Lease, many: true, inverse: tenant}
            locks: {to: Lock, many: true, inverse: firm, delete: Deny}
            partners: {to: Partner, many: true, inverse: firms, delete: Deny}
            sailors: {to: Sailor, many: true, inverse: firm, delete: Cascade}
        Person:
          relationships:
            employer: {to: Firm, inverse: staff}
            pens: {to: Pen, many: true, inverse: owner, delete: Cascade}
        Pen: {relationships: {owner: {to: Person, inverse: pens}}}
        Guest: {attributes: {name: String?}, relationships: {host: {to: Firm?, inverse: guests}}}
        Lease: {relationships: {tenant: {to: Firm, inverse: leases}}}
        Lock: {relationships: {firm: {to: Firm?, inverse: locks}}}
        Partner: {relationships: {firms: {to: Firm, many: true, inverse: partners, delete: Deny}}}
        Node:
          relationships:
            parent: {to: Node?, inverse: children}
            children: {to: Node, many: true, inverse: parent, delete: Cascade}
        Crew:
          attributes: {size: {type: Integer 32, optional: true, derived: "sailors.@count"}}
          relationships: {sailors: {to: Sailor, many: true, inverse: crew, min: 2, max: 4}}
        Sailor:
          relationships:
            crew: {to: Crew?, inverse: sailors}
            firm: {to: Firm?, inverse: sailors}
        Ticket: {attributes: {number: Integer 64?}, relationships: {visit: {to: Visit?, inverse: ticket}}}
        Visit: {relationships: {ticket: {to: Ticket, inverse: visit}}}
        """

    init() async throws {
        folder = try TemporaryFolder("late")
        model = try Model(entities: LateSave.entities)
        container = try await PersistentContainer.open(folder, model: model)
        second = try await PersistentContainer.open(folder, model: model)
        container.setMergeOptions(.unsaved)
    }

    /// The error of a save: changes are made in a context, then elsewhere, and then the context saves.
    func save(
        _ place: Place,
        _ policy: MergePolicy = .error,
        by other: Other = .context,
        here: @escaping @Sendable (ManagedObjectContext) throws -> some Any,
        elsewhere: @escaping @Sendable (ManagedObjectContext) throws -> some Any
    ) async throws -> (any Error)? {
        await container.mergePendingChanges()
        let background = container.newBackgroundContext(mergePolicy: policy)
        switch place {
        case .view:
            try await MainActor.run {
                container.viewContext.rollback()
                container.viewContext.mergePolicy = policy
                _ = try here(container.viewContext)
                container.viewContext.processPendingChanges()
            }
        case .pinned, .free:
            try await background.perform { context in
                context.retainsRegisteredObjects = true
                if place == .pinned { try context.pin() }
                _ = try here(context)
            }
        case .child:
            await MainActor.run {
                container.viewContext.rollback()
                container.viewContext.mergePolicy = policy
            }
            try await container.newChildOfViewContext(name: "child").save { _ = try here($0) }
        }
        switch other {
        case .context: try await container.save { _ = try elsewhere($0) }
        case .container: try await second.save { _ = try elsewhere($0) }
        case .segment: try await receive { _ = try elsewhere($0) }
        }
        switch place {
        case .view, .child: return await MainActor.run { container.viewContext.errorOfSave() }
        case .pinned, .free: return await background.perform { $0.errorOfSave() }
        }
    }

    /// Another machine with the same objects makes the changes, and its segment arrives.
    private func receive(_ block: @escaping @Sendable (ManagedObjectContext) throws -> Void) async throws {
        let other = try TemporaryFolder("machine")
        let machine = try await PersistentContainer.open(other, "store", model: model)
        try ReplicaExchange.send(from: container.store, to: machine.store)
        try await machine.save(block)
        try ReplicaExchange.send(from: machine.store, to: container.store)
        try await machine.close()
    }

    func insert(_ entity: String, _ values: KeyValuePairs<String, PropertyValue>) async throws -> ManagedObjectID {
        let object = try await container.newBackgroundContext().save { context in
            let object = try context.insert(entity: entity)
            for (key, value) in values { try object.setValue(value, forKey: key) }
            return object.objectID
        }
        await container.mergePendingChanges()
        return object
    }

    func firm() async throws -> ManagedObjectID { try await insert("Firm", [:]) }

    /// A firm with a person, who cannot be without it, and a guest, who can.
    func staffed(_ code: String) async throws -> (
        firm: ManagedObjectID, person: ManagedObjectID, guest: ManagedObjectID
    ) {
        let firm = try await insert("Firm", ["code": .string(code)])
        return (
            firm, try await insert("Person", ["employer": .reference(firm.uniqueID)]),
            try await insert("Guest", ["host": .reference(firm.uniqueID)])
        )
    }

    func crew(of count: Int) async throws -> (crew: ManagedObjectID, sailors: [ManagedObjectID]) {
        try await container.save { context in
            let crew = try context.insert(entity: "Crew")
            return (
                crew.objectID,
                try (0..<count).map { _ in
                    try context.insert("Sailor", ["crew": .reference(crew.uniqueID)]).objectID
                }
            )
        }
    }

    /// The objects of an entity in the store.
    func shows(_ entity: String) async throws -> Set<ManagedObjectID> {
        Set(try await container.performBackgroundTask { try $0.fetchIDs(FetchRequest(entity)) })
    }

    func count(_ entity: String, where condition: String) async throws -> Int {
        try await container.performBackgroundTask { try $0.count(for: FetchRequest(entity, where: condition)) }
    }

    /// What the newest transaction of this store brings to other machines.
    func lines() throws -> [String] { try container.store.localTransactions().last ?? [] }
}

extension ManagedObjectContext {
    fileprivate func errorOfSave() -> (any Error)? {
        do {
            try save()
            return nil
        } catch {
            return error
        }
    }
}
