import TributaryChanges
import TributaryModel

extension ManagedObjectContext {
    /// Follows Cascade and Nullify from the objects that were deleted since the last time, until nothing is left to do.
    func propagateDeletions() {
        pending.followDeleteRules { objects in
            for object in objects {
                for (slot, property) in object.kind.entity.properties.enumerated() {
                    guard case .relationship(let relationship, let storage) = property else { continue }
                    follow(relationship, storage, slot, of: object)
                }
            }
            for object in objects where object.extras?.isUnsaved == true { pending.move(object, on: .purge) }
        }
    }

    private func follow(
        _ relationship: Relationship,
        _ storage: RelationshipStorage,
        _ slot: Int,
        of object: ManagedObject
    ) {
        let others = relationship.isToMany ? object.relatedObjects(slot) : object.related(slot).map { [$0] } ?? []
        if relationship.deleteRule == .cascade {
            for other in others { delete(other) }
        }
        let letsGo = relationship.deleteRule == .nullify || object.extras?.isUnsaved == true
        switch storage {
        case .column:
            // The object's own register goes with it; what is derived from it at the other end changes at once.
            moveInverse(object, slot, from: object.read(slot).referencedID, to: nil, notesOwners: true)
        case .inverse:
            guard letsGo, let inverse = inverse(of: relationship) else { return }
            for other in others where other.state != .deleted { setRegister(other, inverse.slot, to: nil) }
        case .links:
            for other in others {
                if letsGo {
                    setPair(object, slot, with: other, isLinked: false)
                } else {
                    // The store takes the pair away with the object; undo has to bring back both.
                    recordPair(object, slot, with: other, isLinked: false)
                }
            }
        }
    }

    /// The objects that a Deny rule protects from the deletion of `object`, by relationship.
    func denials(of object: ManagedObject) -> [(relationship: String, objects: [ManagedObjectID])] {
        object.kind.entity.properties.enumerated().compactMap { slot, property in
            guard let relationship = property.relationship, relationship.deleteRule == .deny else { return nil }
            let others = relationship.isToMany ? object.relatedObjects(slot) : object.related(slot).map { [$0] } ?? []
            let left = others.filter { $0.state != .deleted && $0.state != .gone && $0 !== object }
            return left.isEmpty ? nil : (relationship.name, left.map(\.objectID))
        }
    }
}
