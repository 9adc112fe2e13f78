public import TributaryChanges
import TributaryStore

/// Why a context could not perform an operation; it names objects by ID and never contains them.
public enum ContextError: Error, Hashable, Sendable {
    /// The model has no entity of this name.
    case unknownEntity(String)
    /// The model has no fetch request of this name.
    case unknownFetchRequest(String)
    /// Objects of an abstract entity cannot be made.
    case abstractEntity(String)
    /// The entity has no property of this name.
    case unknownProperty(entity: String, property: String)
    /// The value does not fit the property's type; `expected` and `found` describe both in words.
    case wrongType(entity: String, property: String, expected: String, found: String)
    /// The property is a relationship where an attribute is needed, or the other way round.
    case wrongKind(entity: String, property: String, expected: String)
    /// The object does not exist, or was deleted.
    case notFound(ManagedObjectID)
    /// The object is in the store, but only in a transaction newer than the generation that the context shows.
    ///
    /// `await container.mergePendingChanges(through:)` brings the context there.
    case notYetMerged(ManagedObjectID, transaction: HistoryToken)
    /// An object of this ID is in the store already.
    case duplicateID(ManagedObjectID)
    /// The object's row, or a large external value, could not be read; trying again may help.
    case unreadable(ManagedObjectID, reason: String)
    /// The object's context was reset or its container closed.
    case detached(ManagedObjectID)
    /// The object belongs to another context.
    case foreignObject(ManagedObjectID)
    /// `willSave` or `resolveConflict` kept changing objects.
    case unsettled(rounds: Int)
    /// The model names a transformer that the container was not given.
    case missingTransformer(entity: String, attribute: String, transformer: String)
    /// Derived attributes with expressions that cannot be computed; found when a store is opened.
    case derivations([DerivationProblem])
    /// Keys of classes without a property of their entities, or properties without a key in a class that lists keys.
    case fields([FieldProblem])
    /// The container was opened without the class of an entity.
    case classNotGiven(entity: String, className: String)
    /// Another write of this thread, by the named context, is in progress and ends only after the caller.
    ///
    /// It is a save, a batch or a pin inside `resolveConflict`, a batch's handler, or another context's
    /// ``ManagedObjectContext/performInOneTransaction(_:)``.
    case saveInProgress(by: String)
    /// Waiting for the write lock would never end; the cycle names the contexts.
    case deadlock(String)
    /// The container has been closed.
    case closed
    /// The disk of the store is full; trying again helps once it has room.
    case diskFull(reason: String)
    /// The disk of the store cannot be written or read; trying again helps once it can.
    case inputOutput(reason: String)
    /// Another program keeps the store locked; trying again helps once it ends.
    case locked(reason: String)
    /// The store refused; the reason is the store's.
    case store(reason: String)

    static func wrongClass(_ type: ManagedObject.Type, entity: String) -> ContextError {
        .wrongKind(entity: entity, property: "class", expected: "\(type)")
    }

    static func toMany(_ property: String, entity: String) -> ContextError {
        .wrongKind(entity: entity, property: property, expected: "an attribute or to-one")
    }

    static func classNotGiven(_ type: ManagedObject.Type, entity: String) -> ContextError {
        .classNotGiven(entity: entity, className: "\(type)")
    }
}

extension ContextError: CustomStringConvertible {
    /// A message with the failed operation and the reason.
    public var description: String {
        switch self {
        case .unknownEntity(let name): "the model has no entity '\(name)'"
        case .unknownFetchRequest(let name): "the model has no fetch request '\(name)'"
        case .abstractEntity(let name): "the entity '\(name)' is abstract: it has no objects of its own"
        case .unknownProperty(let entity, let property): "the entity '\(entity)' has no property '\(property)'"
        case .wrongType(let entity, let property, let expected, let found):
            "\(entity).\(property) takes \(expected), not \(found)"
        case .wrongKind(let entity, let property, let expected): "\(entity).\(property) is not \(expected)"
        case .notFound(let id): "the object \(id) does not exist"
        case .notYetMerged(let id, let token):
            "\(id) came with transaction \(token.number), which this context does not show yet"
        case .duplicateID(let id): "there is an object \(id) already"
        case .unreadable(let id, let reason): "\(id) could not be read: \(reason)"
        case .detached(let id): "the context of \(id) was reset or its container closed"
        case .foreignObject(let id): "\(id) belongs to another context: pass its ID and call object(with:)"
        case .unsettled(let rounds): "willSave or resolveConflict still changed objects after \(rounds) rounds"
        case .missingTransformer(let entity, let attribute, let transformer):
            "\(entity).\(attribute) goes through the transformer '\(transformer)', which the container does not have: add it to "
                + "'transformers:' when the container is made, or leave the class of \(entity) out to see plain bytes"
        case .derivations(let problems):
            DerivationProblem.text(of: problems)
        case .fields(let problems): problems.map(\.description).joined(separator: "; ")
        case .classNotGiven(let entity, let name):
            "objects of the entity '\(entity)' have no class \(name): the container was opened without it; add "
                + "\(name).self to 'classes:' when the container is made"
        case .saveInProgress(let holder):
            "\(holder) is writing to the store on this thread: let that save or transaction end, then save"
        case .deadlock(let cycle): "waiting would never end: \(cycle)"
        case .closed: "the container has been closed"
        case .diskFull(let reason), .inputOutput(let reason), .locked(let reason), .store(let reason):
            "the store refused: \(reason)"
        }
    }
}

extension ContextError {
    static func wrapping<T>(_ block: () throws -> T) throws(ContextError) -> T {
        do {
            return try block()
        } catch {
            throw ContextError(error)
        }
    }

    static func mapped<Kept: Error>(_ error: any Error, except: Kept.Type) -> any Error {
        error is Kept ? error : ContextError(error)
    }

    init(_ error: any Error) {
        switch error {
        case let error as ContextError: self = error
        case StoreError.closed: self = .closed
        case StoreError.blob(let path, let reason): self = .inputOutput(reason: "\(path): \(reason)")
        case StoreError.duplicateID(let id): self = .duplicateID(id)
        case StoreError.nestedTransaction(let holder): self = .saveInProgress(by: holder)
        case StoreError.deadlock(let cycle): self = .deadlock(cycle)
        case let error as StoreError where error.isFull: self = .diskFull(reason: "\(error)")
        case let error as StoreError where error.isInputOutput: self = .inputOutput(reason: "\(error)")
        case let error as StoreError where error.isLocked: self = .locked(reason: "\(error)")
        default: self = .store(reason: "\(error)")
        }
    }
}
