package import TransactionLog
package import TributaryChanges

// This folder decides which stores are trusted. Each store signs its files. With the mode `known` a store uses only
// files that are signed with trusted keys.

package struct TrustSettings: Hashable, Sendable {
    package enum Mode: String, CaseIterable, Sendable {
        /// The store signs its files and ignores the signatures of others.
        case any
        case known
    }

    package var mode: Mode
    /// Whether the key of the first applied segment of a store is trusted from then on.
    package var pinsFirst: Bool
    package var keys: [PublicKey] { didSet { listed = Set(keys) } }
    fileprivate private(set) var listed: Set<PublicKey>

    package init(mode: Mode = .any, pinsFirst: Bool = false, keys: [PublicKey] = []) {
        (self.mode, self.pinsFirst, self.keys, listed) = (mode, pinsFirst, keys, Set(keys))
    }
}

/// The decisions of an administrator; keys that were trusted at first sight are ``PinnedKeys``.
package struct TrustList: Hashable, Sendable {
    package enum State: String, Sendable { case trusted, revoked }

    package struct Entry: Hashable, Sendable {
        package var store: UniqueID
        package var key: PublicKey
        package var state: State
        package var since: WallTime
    }

    package enum Decision: Hashable, Sendable {
        case trusted
        /// The key is pinned when a file with its signature is applied.
        case first
        case untrusted(String)
    }

    private var states: [UniqueID: [PublicKey: Entry]] = [:]
    private var stores: [PublicKey: Set<UniqueID>] = [:]
    package private(set) var count = 0

    package var isEmpty: Bool { count == 0 }

    /// In the order of stores and keys; O(n log n) for n keys.
    package var entries: [Entry] {
        states.sorted { $0.key < $1.key }.flatMap { entries(of: $0.key) }
    }

    package func entries(of store: UniqueID) -> [Entry] {
        let entries = states[store].map { Array($0.values) } ?? []
        return entries.sorted { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }
    }

    package func completing(_ entries: [Entry], with pinned: [Entry]) -> [Entry] {
        entries + pinned.filter { states[$0.store]?[$0.key] == nil && !isRevoked($0.key) }
    }

    package func isRevoked(_ key: PublicKey) -> Bool {
        stores[key, default: []].contains { states[$0]?[key]?.state == .revoked }
    }

    /// O(k) for the k keys of the store, however many other stores there are.
    package func decide(
        _ store: UniqueID,
        _ key: PublicKey,
        pinned: PinnedKeys.Finding = PinnedKeys.Finding(),
        by settings: TrustSettings
    ) -> Decision {
        guard !isRevoked(key) else { return .untrusted("Its key \(key) is revoked.") }
        let own = entries(of: store)
        if own.contains(where: { $0.key == key }) || pinned.keys.contains(key) { return .trusted }
        let known = own.filter { $0.state == .trusted }.map(\.key) + pinned.keys.filter { !isRevoked($0) }
        // A store may change its key: an administrator lists the former key and the present key.
        let isListed = settings.listed.contains(key)
        if let other = known.first(where: { !isListed || !settings.listed.contains($0) }) {
            return .untrusted("It is signed with key \(key), and store \(store) is known by key \(other).")
        }
        // Only an administrator gives another key to a store with a revoked key, or a known key to a second store.
        let hasRevoked = own.contains { $0.state == .revoked } || pinned.keys.contains(where: isRevoked)
        let isFree = stores[key] == nil && pinned.owner == nil && !hasRevoked
        guard isFree, settings.pinsFirst || isListed else {
            return .untrusted("Nobody has trusted key \(key) of store \(store).")
        }
        return .first
    }

    package mutating func set(_ state: State, _ key: PublicKey, of store: UniqueID, at wall: WallTime) {
        guard states[store]?[key]?.state != state else { return }
        let entry = Entry(store: store, key: key, state: state, since: wall)
        if states[store, default: [:]].updateValue(entry, forKey: key) == nil {
            stores[key, default: []].insert(store)
            count += 1
        }
    }
}

extension TrustList {
    package static let limit = 65_536

    /// A line of JSON for each key, and the end line.
    package var text: String {
        let lines = entries.map { entry in
            JSONValue.members([
                "store": .string(entry.store.description), "key": .string(entry.key.description),
                "state": .string(entry.state.rawValue), "since": .count(entry.since.milliseconds),
            ]).text + "\n"
        }
        .joined()
        return lines + TrustList.endLine(of: lines, count: count) + "\n"
    }

    private static func endLine(of lines: String, count: Int) -> String {
        let hash = SegmentEnd.sha256(of: Array(lines.utf8))
        return JSONValue.members(["keys": .integer(Int64(count)), "sha256": .string(hash)]).text
    }

    /// Whether the last line is the end line of the lines before it.
    package struct End: Hashable, Sendable {
        package var found: String?
        /// The end line of the keys that were read.
        package var right: String

        package var isRight: Bool { found == right }
    }

    /// Ignores blank lines, and all end lines but the last, so that an end line can be appended by hand.
    ///
    /// A key with two lines is revoked if any line revokes it. A key that this version never accepts has no effect: an
    /// earlier version has pinned it.
    package static func read(
        _ text: String
    ) throws(JSONError) -> (list: TrustList, end: End, ineffective: [(line: Int, key: String)]) {
        var list = TrustList()
        var (lines, count) = ("", 0)
        var ineffective: [(line: Int, key: String)] = []
        var found: String?
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
        where !line.isEmpty {
            let value: JSONValue
            do throws(JSONError) {
                value = try JSONParser.parse(String(line))
            } catch {
                throw JSONError("line \(number + 1) is not JSON: \(error.reason)")
            }
            if value["keys"] != nil {
                found = value.text
                continue
            }
            guard case .string(let store)? = value["store"], let store = UniqueID(store),
                case .string(let text)? = value["key"], hexadecimalBytes(text, count: 32) != nil,
                case .string(let state)? = value["state"], let state = State(rawValue: state),
                case .integer(let since)? = value["since"], since >= 0
            else { throw JSONError("line \(number + 1) is not a key with its store, its state and its time") }
            guard count < TrustList.limit else { throw JSONError("it has more than \(TrustList.limit) keys") }
            lines += line + "\n"
            (count, found) = (count + 1, nil)
            guard let key = PublicKey(text) else {
                ineffective.append((number + 1, text))
                continue
            }
            guard list.states[store]?[key]?.state != .revoked else { continue }
            list.set(state, key, of: store, at: WallTime(milliseconds: UInt64(since)))
        }
        return (list, End(found: found, right: endLine(of: lines, count: count)), ineffective)
    }
}
