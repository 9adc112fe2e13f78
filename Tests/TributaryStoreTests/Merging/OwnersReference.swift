import StoreTestSupport
import TributaryChanges

/// A one-to-one relationship between A (`desk`, with the register) and D (`owner`), merged by the rules alone.
///
/// It compares whole versions and computes nothing incrementally.
struct OwnersReference {
    private struct Object {
        var inserted: Version?
        var deleted: Version?
        var desk: (version: Version, target: UniqueID?)?

        var isVisible: Bool {
            guard let inserted else { return false }
            return deleted.map { $0 <= inserted } ?? true
        }

        /// The value of the register `desk` that no deletion has superseded.
        var heldDesk: UniqueID? {
            guard let desk, deleted.map({ $0 <= desk.version }) ?? true else { return nil }
            return desk.target
        }
    }

    private var objects: [String: [UniqueID: Object]] = ["A": [:], "D": [:]]

    mutating func apply(_ transaction: ForeignTransaction) {
        let version = Version(clock: transaction.header.clock, writer: transaction.writer)
        for change in transaction.changes {
            switch change.operation {
            case .insert(let values):
                objects[change.entity]?[change.id, default: Object()].inserted.raise(to: version)
                write(values, change, version)
            case .update(let values): write(values, change, version)
            case .delete: objects[change.entity]?[change.id, default: Object()].deleted.raise(to: version)
            case .link, .unlink: break
            }
        }
    }

    /// The target that each visible A shows; the inner value is nil when it shows nothing.
    var desks: [UniqueID: UniqueID?] {
        let owners = owners
        return visible("A").reduce(into: [:]) { result, entry in
            let held = entry.value.heldDesk
            let isOwner = held.flatMap { owners[$0] ?? nil } == entry.key
            result.updateValue(isOwner ? held : nil, forKey: entry.key)
        }
    }

    /// The A that each visible D shows; the inner value is nil when it shows nothing.
    var owners: [UniqueID: UniqueID?] {
        visible("D").keys.reduce(into: [:]) { result, target in
            let claims = visible("A").filter { $0.value.heldDesk == target }
            let best = claims.max { left, right in
                guard let first = left.value.desk?.version, let second = right.value.desk?.version else { return false }
                return first == second ? left.key < right.key : first < second
            }
            result.updateValue(best?.key, forKey: target)
        }
    }

    private func visible(_ entity: String) -> [UniqueID: Object] {
        (objects[entity] ?? [:]).filter { $0.value.isVisible }
    }

    private mutating func write(_ values: [PropertyWrite], _ change: Change, _ version: Version) {
        for value in values {
            var target: UniqueID?
            if case .string(let text) = value.value { target = UniqueID(text) }
            if value.name == "desk" {
                assign(target, to: change.id, version)
            } else if let target {
                assign(change.id, to: target, version)
            }
        }
    }

    private mutating func assign(_ target: UniqueID?, to owner: UniqueID, _ version: Version) {
        let known = objects["A"]?[owner]?.desk?.version
        if let known, version < known { return }
        objects["A"]?[owner, default: Object()].desk = (version, target)
    }
}

extension Version? {
    fileprivate mutating func raise(to other: Version) {
        self = self.map { max($0, other) } ?? other
    }
}
