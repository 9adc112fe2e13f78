/// An event without a transition in a state leaves the object unchanged.
struct ObjectTransition: Hashable, Sendable {
    struct Actions: OptionSet, Hashable, Sendable {
        let rawValue: UInt16

        // PendingChanges performs these actions:

        static let list = Actions(rawValue: 1 << 0)
        static let unlist = Actions(rawValue: 1 << 1)
        static let register = Actions(rawValue: 1 << 2)
        static let unregister = Actions(rawValue: 1 << 3)
        /// Cascade and Nullify are followed from the object when changes are processed.
        static let followDeleteRules = Actions(rawValue: 1 << 4)
        static let stopDeleteRules = Actions(rawValue: 1 << 5)
        static let markNeverSaved = Actions(rawValue: 1 << 6)
        static let clearChanges = Actions(rawValue: 1 << 7)
        /// The object's relationships no longer differ from the store.
        static let forgetLinks = Actions(rawValue: 1 << 8)
        /// Lists of related objects may show other objects than before.
        static let changeVisibility = Actions(rawValue: 1 << 9)

        // The caller performs these actions, with the object as it was before the transition:

        /// Reverts the object's changes to the other ends of its relationships.
        static let revertInverses = Actions(rawValue: 1 << 10)
        /// A save under the policy `error` throws the conflict.
        static let keepConflict = Actions(rawValue: 1 << 11)
        static let reportLostEdits = Actions(rawValue: 1 << 12)

        // The caller performs these actions after the transition:

        static let notifyUpdate = Actions(rawValue: 1 << 13)
        static let notifyDeletion = Actions(rawValue: 1 << 14)
    }

    let from: ObjectState
    let to: ObjectState
    let actions: Actions

    init(from state: ObjectState, on event: ObjectEvent) {
        from = state
        (to, actions) = ObjectTransition.next(state, event) ?? (state, [])
    }

    private typealias Cell = (ObjectState, Actions)

    private static func next(_ state: ObjectState, _ event: ObjectEvent) -> Cell? {
        switch event {
        // An initializer of the class may have read or written a property before the object is inserted.
        case .insert: state == .detached ? nil : (.inserted, [.list, .register])
        case .edit: state == .clean ? (.updated, .list) : nil
        case .delete: deletion(state)
        case .purge: purge(state)
        case .makeWay: state == .deleted ? (.gone, [.unlist, .changeVisibility, .unregister]) : nil
        case .loadFailure: loadFailure(state)
        case .invalidate: invalidation(state)
        case .refresh: refresh(state)
        case .rollBack(let isNeverSaved): rollback(state, isNeverSaved)
        case .save: save(state)
        case .saveDeletion(let isLost): saveDeletion(state, isLost)
        case .resurrect(let isChanged): resurrection(state, isChanged)
        case .appear(let isChanged): appearance(state, isChanged)
        case .revertToRow: state == .updated ? (.clean, .unlist) : nil
        case .restore(let saved): restoration(of: saved, state)
        case .detach: (.detached, .clearChanges)
        }
    }

    private static func deletion(_ state: ObjectState) -> Cell? {
        let actions: Actions = [.list, .followDeleteRules, .changeVisibility]
        return switch state {
        case .inserted: (.deleted, actions.union(.markNeverSaved))
        case .clean, .updated: (.deleted, actions)
        case .deleted, .gone, .detached: nil
        }
    }

    private static func purge(_ state: ObjectState) -> Cell? {
        switch state {
        case .deleted: (.gone, [.unlist, .forgetLinks, .changeVisibility, .unregister])
        case .gone: (.gone, .forgetLinks)
        case .clean, .inserted, .updated, .detached: nil
        }
    }

    private static func loadFailure(_ state: ObjectState) -> Cell? {
        let actions: Actions = [.changeVisibility, .unregister]
        return switch state {
        case .clean: (.gone, actions)
        case .updated: (.gone, actions.union([.revertInverses, .unlist]))
        case .deleted: (.gone, actions.union(.unlist))
        case .inserted, .gone, .detached: nil
        }
    }

    private static let removal: Actions = [.clearChanges, .changeVisibility, .unregister, .notifyDeletion]

    private static func invalidation(_ state: ObjectState) -> Cell? {
        switch state {
        case .clean: (.gone, removal)
        case .updated: (.gone, removal.union([.keepConflict, .revertInverses, .reportLostEdits, .unlist]))
        case .deleted: (.gone, removal.union([.revertInverses, .unlist]))
        case .inserted, .gone, .detached: nil
        }
    }

    private static func refresh(_ state: ObjectState) -> Cell? {
        switch state {
        case .clean: (.clean, .notifyUpdate)
        case .updated: (.clean, [.revertInverses, .unlist, .notifyUpdate])
        case .deleted: (.clean, [.revertInverses, .unlist, .stopDeleteRules, .notifyUpdate])
        case .inserted, .gone, .detached: nil
        }
    }

    private static func rollback(_ state: ObjectState, _ isNeverSaved: Bool) -> Cell? {
        switch state {
        case .inserted: (.gone, removal.union(.unlist))
        case .deleted where isNeverSaved: (.gone, removal.union(.unlist))
        case .updated, .deleted: (.clean, [.unlist, .clearChanges])
        case .clean, .gone, .detached: nil
        }
    }

    private static func save(_ state: ObjectState) -> Cell? {
        switch state {
        case .clean: (.clean, .clearChanges)
        case .inserted, .updated, .deleted: (.clean, [.unlist, .clearChanges])
        case .gone, .detached: nil
        }
    }

    private static func saveDeletion(_ state: ObjectState, _ isLost: Bool) -> Cell? {
        let actions = isLost ? removal.union(.reportLostEdits) : removal
        return switch state {
        case .clean: (.gone, actions)
        case .inserted, .updated, .deleted: (.gone, actions.union(.unlist))
        case .gone, .detached: nil
        }
    }

    private static func resurrection(_ state: ObjectState, _ isChanged: Bool) -> Cell? {
        switch state {
        case .deleted: isChanged ? (.updated, .changeVisibility) : (.clean, [.unlist, .changeVisibility])
        case .gone: (.inserted, [.list, .register, .changeVisibility])
        case .inserted, .clean, .updated, .detached: nil
        }
    }

    private static func appearance(_ state: ObjectState, _ isChanged: Bool) -> Cell? {
        switch state {
        case .gone: (.clean, [.register, .changeVisibility])
        case .inserted: isChanged ? (.updated, []) : (.clean, .unlist)
        case .clean, .updated, .deleted, .detached: nil
        }
    }

    /// An object that was changed or deleted after the save stays changed or deleted.
    private static func restoration(of saved: ObjectState, _ state: ObjectState) -> Cell? {
        let actions: Actions = [.list, .register]
        return switch (saved, state) {
        case (.gone, _), (.detached, _), (_, .detached): nil
        case (.deleted, _): (.deleted, actions)
        case (.inserted, .deleted): (.deleted, actions.union([.followDeleteRules, .markNeverSaved]))
        case (_, .deleted): (.deleted, actions.union(.followDeleteRules))
        case (.clean, .clean), (.clean, .gone): (.clean, .register)
        case (.clean, _): (.updated, actions)
        case (.inserted, _), (.updated, _): (saved, actions)
        }
    }
}

enum ObjectEvent: Hashable, Sendable {
    /// A program or a child's save makes the object.
    case insert
    case edit
    case delete
    /// The delete rules of an object that was deleted before its first save have been followed.
    case purge
    /// A new object takes the ID of an object that is deleted here; a save writes the deletion and the insert.
    case makeWay
    case loadFailure
    /// A merge finds that the store no longer has a row.
    case invalidate
    /// The changes of the object are dropped, and it becomes a fault.
    case refresh
    /// All changes of the context are dropped; an object that was deleted before its first save is never saved.
    case rollBack(isNeverSaved: Bool)
    /// A save has written the object, or has dropped its changes in favour of the store's row.
    case save
    /// A save has deleted the object, or has found it deleted; `isLost` is true when its changes are lost.
    case saveDeletion(isLost: Bool)
    /// An undo or a child's save brings a deleted object back, with or without changes of its own.
    case resurrect(isChanged: Bool)
    /// Others have inserted an object that is gone or new here, with or without changes of the context's own.
    case appear(isChanged: Bool)
    case revertToRow
    /// The transaction of a save has failed, or the object that took the ID was dropped; this is the state before that.
    case restore(ObjectState)
    case detach
}

/// The state of an object between its context and the store.
public enum ObjectState: String, Sendable, Hashable {
    case inserted
    /// Unchanged since the last read or save, or a fault.
    case clean
    case updated
    case deleted
    /// Deleted in the store, by this context's save, another context or another machine.
    ///
    /// The ID and the last values stay.
    case gone
    /// The context was reset or its container closed.
    case detached

    var isDeletion: Bool { self == .deleted || self == .gone }
}
