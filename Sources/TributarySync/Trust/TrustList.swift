package import TransactionLog
package import TributaryChanges

// This folder decides whose files are taken: each store signs what it publishes, and a store that asks for it takes only
// what is signed with keys that it trusts.

/// The settings of trust; the defaults are those of the configuration file.
package struct TrustSettings: Hashable, Sendable {
    package enum Mode: String, CaseIterable, Sendable {
        /// Signatures are made, and not looked at.
        case any
        /// Only files with the signature of a trusted key are taken.
        case known
    }

    package var mode = Mode.any
    /// Whether the first key with which a store is seen to sign is trusted from then on.
    package var pinsFirst = false
    /// Keys of stores that may be trusted at first sight.
    package var keys: [PublicKey] = []
}

/// The keys of stores that an administrator has trusted or revoked, or that were seen first.
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
        /// Trusted at first sight: the list is to remember the key.
        case first(PublicKey)
        /// Not taken, with the reason in a sentence.
        case untrusted(String)
    }

    package private(set) var entries: [Entry] = []

    package func entries(of store: UniqueID) -> [Entry] { entries.filter { $0.store == store } }

    /// Decides about a file by the label of the store that has written it and by its signature, which must be that of
    /// the text; O(n) for n keys.
    package func decide(
        _ store: UniqueID,
        _ signature: Signature?,
        of signedText: [UInt8],
        by settings: TrustSettings
    ) -> Decision {
        guard let signature else { return .untrusted("It is not signed.") }
        let key = signature.key
        guard signature.isValid(of: signedText) else {
            return .untrusted("Its signature is not that of key \(key) for its name and its bytes.")
        }
        if entries.contains(where: { $0.key == key && $0.state == .revoked }) {
            return .untrusted("Its key \(key) is revoked.")
        }
        let trusted = entries.filter { $0.store == store && $0.state == .trusted }
        if trusted.contains(where: { $0.key == key }) { return .trusted }
        if let other = trusted.first {
            return .untrusted("It is signed with key \(key), and store \(store) is known by key \(other.key).")
        }
        // A store whose key was revoked gets another one by an administrator only, and so does a second store a key.
        let isNew = !entries.contains { $0.store == store || $0.key == key }
        guard isNew, settings.pinsFirst || settings.keys.contains(key) else {
            return .untrusted("Nobody has trusted key \(key) of store \(store).")
        }
        return .first(key)
    }

    package mutating func set(_ state: State, _ key: PublicKey, of store: UniqueID, at wall: WallTime) {
        if let place = entries.firstIndex(where: { $0.store == store && $0.key == key }) {
            guard entries[place].state != state else { return }
            (entries[place].state, entries[place].since) = (state, wall)
        } else {
            entries.append(Entry(store: store, key: key, state: state, since: wall))
        }
        entries.sort { ($0.store, $0.key.description) < ($1.store, $1.key.description) }
    }
}

extension TrustList {
    /// The greatest number of keys that are kept.
    package static let limit = 65_536

    /// A line of JSON for each key.
    package var text: String {
        entries.map {
            JSONValue.members([
                "store": .string($0.store.description), "key": .string($0.key.description),
                "state": .string($0.state.rawValue), "since": .count($0.since.milliseconds),
            ]).text + "\n"
        }
        .joined()
    }

    /// - Throws: `JSONError` for a line that is none of ``text``, with its number.
    package init(_ text: String) throws(JSONError) {
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
        where !line.isEmpty {
            let value = try JSONParser.parse(String(line))
            guard case .string(let store)? = value["store"], let store = UniqueID(store),
                case .string(let key)? = value["key"], let key = PublicKey(key),
                case .string(let state)? = value["state"], let state = State(rawValue: state),
                case .integer(let since)? = value["since"], since >= 0
            else { throw JSONError("line \(number + 1) is no key with its store, its state and its time") }
            guard entries.count < TrustList.limit else { throw JSONError("more than \(TrustList.limit) keys") }
            entries.append(Entry(store: store, key: key, state: state, since: WallTime(milliseconds: UInt64(since))))
        }
    }
}
