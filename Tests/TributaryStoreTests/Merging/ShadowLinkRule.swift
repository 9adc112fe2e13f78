import StoreTestSupport
import TributaryChanges

/// The pairs that many-to-many relationships show, by the pure rule over all transactions.
///
/// It plays the transactions in the order of their versions; a deletion removes all pairs of an object. A pair with
/// shadows is shown with their representatives, at the least position, unless the representatives were linked themselves.
struct ShadowLinkRule {
    private struct Pair: Hashable {
        var name: String
        var source: UniqueID
        var target: UniqueID

        init(_ name: String, _ source: UniqueID, _ target: UniqueID) {
            let isSwapped = name == "friends" && target < source
            self.name = name
            self.source = isSwapped ? target : source
            self.target = isSwapped ? source : target
        }
    }

    private struct Object {
        var inserted: Version?
        var email = JSONValue.null
    }

    private var objects: [UniqueID: Object] = [:]
    private var pairs: [Pair: String] = [:]
    private var representatives: [UniqueID: UniqueID] = [:]
    private var shown: [Pair: String] = [:]
    /// The number of pairs that are shown for others.
    private(set) var substituteCount = 0

    init(_ transactions: [ForeignTransaction]) {
        let ordered = transactions.map { (Version(clock: $0.header.clock, writer: $0.writer), $0.changes) }
        for (version, changes) in ordered.sorted(by: { $0.0 < $1.0 }) {
            for change in changes { play(change, version) }
        }
        let holders = objects.compactMap { id, object in
            object.inserted.map { inserted in
                let keys = object.email == .null ? [] : [object.email.text]
                return UniqueKeys<String>.Holder(id: id, inserted: inserted, keys: keys)
            }
        }
        representatives = UniqueKeys(of: holders).representatives
        for (pair, position) in pairs { show(pair, position) }
    }

    private mutating func play(_ change: Change, _ version: Version) {
        switch change.operation {
        case .insert(let writes):
            objects[change.id, default: Object()].inserted = version
            for write in writes { objects[change.id]?.email = write.value }
        case .update(let writes):
            for write in writes { objects[change.id, default: Object()].email = write.value }
        case .delete:
            objects[change.id] = nil
            pairs = pairs.filter { $0.key.source != change.id && $0.key.target != change.id }
        case .link(let name, let ids, let positions):
            for (index, id) in ids.enumerated() { pairs[pair(name, change.id, id)] = positions?[index] ?? "" }
        case .unlink(let name, let ids):
            for id in ids { pairs[pair(name, change.id, id)] = nil }
        }
    }

    private func pair(_ name: String, _ own: UniqueID, _ other: UniqueID) -> Pair {
        name == "members" ? Pair("projects", other, own) : Pair(name, own, other)
    }

    private mutating func show(_ pair: Pair, _ position: String) {
        guard objects[pair.source]?.inserted != nil, objects[pair.target]?.inserted != nil else { return }
        let source = representatives[pair.source] ?? pair.source
        let substitute = Pair(pair.name, source, representatives[pair.target] ?? pair.target)
        guard substitute != pair else { return shown[pair] = position }
        guard pairs[substitute] == nil else { return }
        substituteCount += 1
        shown[substitute] = min(shown[substitute] ?? position, position)
    }

    func isVisible(_ person: Int) -> Bool {
        objects[.sample(person)]?.inserted != nil && representatives[.sample(person)] == nil
    }

    func related(_ person: Int, _ name: String) -> [Int] {
        let id = UniqueID.sample(person)
        let found = shown.filter { $0.key.name == name }.compactMap { pair, position -> (String, Int)? in
            let other = pair.source == id ? pair.target : pair.target == id && name == "friends" ? pair.source : nil
            return other.flatMap { other in (1...99).first { .sample($0) == other } }.map { (position, $0) }
        }
        return found.sorted { $0 < $1 }.map(\.1)
    }
}
