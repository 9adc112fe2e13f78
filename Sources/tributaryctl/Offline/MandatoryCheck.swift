import TransactionLog
import TributaryChanges
import TributaryModel

/// Finds objects that a transaction inserts without their mandatory properties.
///
/// A later change of the transaction may still give them.
struct MandatoryCheck {
    private struct Insertion {
        var line: Int
        var entity: Entity
        var missing: Set<String>
    }

    let checker: ChangeChecker
    private var insertions: [UniqueID: Insertion] = [:]

    init(checker: ChangeChecker) {
        self.checker = checker
    }

    /// Takes the next change of the transaction, which stands in `line`.
    mutating func add(_ change: Change, line: Int) {
        switch change.operation {
        case .insert(let writes):
            guard let entity = checker.entity(named: change.entity), !entity.isAbstract else { return }
            let missing = Set(entity.propertiesToBeGiven)
            guard !missing.isEmpty else { return }
            insertions[change.id] = Insertion(line: line, entity: entity, missing: missing)
            give(writes, to: change.id)
        case .update(let writes): give(writes, to: change.id)
        case .link(let name, let ids, _): give(ids, linkedFrom: change, name)
        case .delete: insertions[change.id] = nil
        case .unlink: break
        }
    }

    /// What is missing at the end of the transaction, in the order of the lines.
    mutating func finish() -> [(line: Int, fault: ChangeChecker.Fault)] {
        defer { insertions = [:] }
        return insertions.sorted { $0.value.line < $1.value.line }.flatMap { id, insertion in
            insertion.missing.sorted().map { name in
                let reason = "'\(insertion.entity.name).\(name)' is mandatory; the object is inserted without it"
                return (
                    insertion.line,
                    ChangeChecker.Fault(entity: insertion.entity.name, object: id, property: name, reason: reason)
                )
            }
        }
    }

    private mutating func give(_ writes: [PropertyWrite], to id: UniqueID) {
        guard let entity = insertions[id]?.entity else { return }
        // A null is reported where it is written.
        for write in writes { insertions[id]?.missing.remove(checker.propertyName(write.name, of: entity)) }
    }

    /// Objects that a to-many relationship leads to have its inverse.
    private mutating func give(_ ids: [UniqueID], linkedFrom change: Change, _ name: String) {
        guard let entity = checker.entity(named: change.entity),
            let relationship = entity.property(named: checker.propertyName(name, of: entity))?.relationship,
            let inverse = relationship.inverse
        else { return }
        for id in ids { insertions[id]?.missing.remove(inverse) }
    }
}
