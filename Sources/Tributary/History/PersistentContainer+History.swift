public import Foundation
public import TributaryChanges
import TributaryModel
import TributaryStore

extension PersistentContainer {
    /// Returns the token of the newest transaction.
    public func currentHistoryToken() throws -> HistoryToken {
        try readHistory { HistoryToken(store: $1, number: try $0.history.newestTransaction()) }
    }

    /// Returns the transactions after the token, oldest first; without a token, from the oldest stored transaction.
    ///
    /// - Parameters:
    ///   - token: the transaction after which the result begins.
    ///   - filter: restricts the returned transactions.
    ///   - limit: the maximum number of returned transactions.
    /// - Returns: fewer than `limit` only when history ends.
    /// - Throws: ``HistoryError`` `expired` when the history after the token has been purged, `foreignToken`.
    public func fetchHistory(
        after token: HistoryToken? = nil,
        filter: HistoryFilter = HistoryFilter(),
        limit: Int = 1000
    ) throws -> [PersistentHistoryTransaction] {
        let query = HistoryQuery(
            author: filter.author,
            excludedAuthor: filter.excludedAuthor,
            contextName: filter.contextName,
            entities: filter.entityNames
        )
        return try readHistory { reader, store in
            let start = try token.map { try self.check($0, reader, store) } ?? reader.history.oldestNumber()
            var found: [PersistentHistoryTransaction] = []
            var position = start
            while found.count < limit {
                let page = try reader.history.transactions(after: position, limit: limit)
                guard let last = page.last?.number else { break }
                let tombstones = try reader.history.tombstones(after: position, through: last)
                for transaction in page {
                    guard found.count < limit, let wanted = query.apply(to: transaction) else { continue }
                    found.append(self.transaction(wanted, store, tombstones[transaction.number] ?? [:]))
                }
                position = last
            }
            return found
        }
    }

    /// Removes the history that was committed before the date.
    ///
    /// Transactions that a registered consumer has still to read stay, unless the consumer has not reported since the
    /// date; its token then expires. The daemon calls this automatically, with its setting `history.keep`.
    public func deleteHistory(before date: Date) async throws {
        try await writeHistory { try $0.purgeHistory(committedBefore: date.timeIntervalSince1970) }
    }

    /// Removes history before the token; the token's own transaction stays.
    ///
    /// Transactions that a registered consumer has still to read stay as well.
    public func deleteHistory(before token: HistoryToken) async throws {
        _ = try readHistory { try self.checkStore(token, $1) }
        try await writeHistory { try $0.deleteHistory(before: token.number) }
    }

    // MARK: Consumers

    /// Registers a consumer, so that history is kept for it; a registered consumer keeps its token.
    ///
    /// It begins at `token`, by default at the newest transaction.
    public func registerHistoryConsumer(_ name: String, at token: HistoryToken? = nil) async throws {
        if let token { _ = try readHistory { try self.check(token, $0, $1) } }
        try await writeHistory { transaction in
            guard try !transaction.reader.history.consumers().contains(where: { $0.name == name }) else { return }
            let number = try token?.number ?? transaction.reader.history.newestTransaction()
            try transaction.setHistoryConsumer(name, number: number)
        }
    }

    /// Removes a consumer; history is no longer kept for it.
    public func removeHistoryConsumer(_ name: String) async throws {
        try await writeHistory { try $0.removeHistoryConsumer(name) }
    }

    /// Returns the last token that a registered consumer has reported.
    ///
    /// - Throws: ``HistoryError`` `unknownConsumer`.
    public func historyToken(ofConsumer name: String) throws -> HistoryToken {
        try readHistory { reader, store in
            guard let consumer = try reader.history.consumers().first(where: { $0.name == name }) else {
                throw HistoryError.unknownConsumer(name)
            }
            return HistoryToken(store: store, number: consumer.number)
        }
    }

    /// Records that a consumer has processed everything up to the token, and that it is active.
    ///
    /// A consumer that does not report for longer than history is kept loses its history: its token expires.
    ///
    /// - Throws: ``HistoryError`` `unknownConsumer`, `foreignToken`.
    public func setHistoryToken(_ token: HistoryToken, ofConsumer name: String) async throws {
        _ = try readHistory { try self.checkStore(token, $1) }
        try await writeHistory { transaction in
            guard try transaction.reader.history.consumers().contains(where: { $0.name == name }) else {
                throw HistoryError.unknownConsumer(name)
            }
            try transaction.setHistoryConsumer(name, number: token.number)
        }
    }

    // MARK: Reading and writing

    private func readHistory<T>(_ block: (Reader, _ store: String) throws -> T) throws -> T {
        do {
            return try store.read { try block($0, $0.history.name()) }
        } catch {
            throw ContextError.mapped(error, except: HistoryError.self)
        }
    }

    private func writeHistory(_ block: @escaping @Sendable (WriteTransaction) throws -> Void) async throws {
        do {
            try await store.writeAsync(block)
        } catch {
            throw ContextError.mapped(error, except: HistoryError.self)
        }
    }

    private func checkStore(_ token: HistoryToken, _ store: String) throws {
        guard token.store == store else { throw HistoryError.foreignToken(token, store: store) }
    }

    private func check(_ token: HistoryToken, _ reader: Reader, _ store: String) throws -> Int64 {
        try checkStore(token, store)
        let oldest = try reader.history.oldestNumber()
        guard token.number >= oldest else {
            throw HistoryError.expired(token, oldest: HistoryToken(store: store, number: oldest))
        }
        return token.number
    }

    private func transaction(
        _ transaction: HistoryTransaction,
        _ store: String,
        _ tombstones: [Tombstone: [String: JSONValue]]
    ) -> PersistentHistoryTransaction {
        PersistentHistoryTransaction(
            token: HistoryToken(store: store, number: transaction.number),
            timestamp: transaction.committedAt.date,
            author: transaction.author,
            contextName: transaction.contextName,
            process: transaction.writer,
            changes: transaction.changes.map { change in
                let entity = model.entity(named: change.id.entity)
                let tombstone = Tombstone(root: change.id.rootEntity, id: change.id.uniqueID)
                let left = change.kind == .delete ? tombstones[tombstone] ?? [:] : [:]
                return PersistentHistoryChange(
                    objectID: change.id,
                    kind: PersistentHistoryChange.Kind(rawValue: change.kind.rawValue) ?? .update,
                    updatedProperties: Set(change.properties),
                    tombstone: Dictionary(
                        left.compactMap { name, value in
                            entity?.property(named: name)?.value(from: value).map { (name, $0) }
                        },
                        uniquingKeysWith: { $1 }
                    )
                )
            }
        )
    }
}

/// The changes of a save, a batch or an imported transaction.
public struct PersistentHistoryTransaction: Sendable, Hashable {
    /// The point in history right after the transaction.
    public let token: HistoryToken
    /// The number of the transaction in its store.
    public var number: Int64 { token.number }
    /// The time of the commit in this store.
    public let timestamp: Date
    /// The author of the changes.
    public let author: String?
    /// The name of the context; nil for imported transactions.
    public let contextName: String?
    /// The writer: the store that made the transaction, this store or a peer.
    public let process: UniqueID
    /// The changes in no particular order, except that changes of the same object are in their order.
    public let changes: [PersistentHistoryChange]
}

/// A change of an object in a transaction.
public struct PersistentHistoryChange: Sendable, Hashable {
    /// The kind of a change.
    public enum Kind: String, Sendable, Hashable {
        /// The object became visible.
        case insert
        /// Values or relationships changed.
        case update
        /// The object is no longer visible.
        case delete
    }

    /// The ID of the object.
    public let objectID: ManagedObjectID
    /// The kind of the change.
    public let kind: Kind
    /// The changed properties; empty for a deletion.
    public let updatedProperties: Set<String>
    /// For a deletion, the last values of the properties that the model preserves after deletion; else empty.
    public let tombstone: [String: PropertyValue]
}

/// A point in a store's history: everything up to and including one transaction.
public struct HistoryToken: Sendable, Hashable, Codable {
    /// The name of the store's history, which changes when the store is set back.
    ///
    /// Tokens of different histories do not compare.
    public let store: String
    /// The transaction's number.
    public let number: Int64

    /// Creates a token from its store and number.
    public init(store: String, number: Int64) {
        self.store = store
        self.number = number
    }

    /// Whether this token is earlier in history than the other.
    ///
    /// - Throws: ``HistoryError`` `foreignToken` when the tokens belong to different stores.
    public func isEarlier(than other: HistoryToken) throws(HistoryError) -> Bool {
        guard store == other.store else { throw .foreignToken(other, store: store) }
        return number < other.number
    }
}

/// The part of history that a request returns; everything by default.
public struct HistoryFilter: Sendable, Hashable {
    /// Only transactions of this author.
    public var author: String?
    /// No transactions of this author, for example a consumer's own.
    public var excludedAuthor: String?
    /// Only transactions of contexts of this name.
    public var contextName: String?
    /// Only changes of objects of these concrete entities, and only transactions with such changes.
    public var entityNames: Set<String>?

    /// Creates a filter that accepts everything.
    public init() {}
}

/// An error in reading history.
public enum HistoryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The history after the token has been purged; `oldest` is the earliest token that is still valid.
    case expired(HistoryToken, oldest: HistoryToken)
    /// The token belongs to another store, or to this store before it was set back or copied.
    case foreignToken(HistoryToken, store: String)
    /// No consumer of the name is registered.
    case unknownConsumer(String)

    /// A message with the failed request, and how to continue.
    public var description: String {
        switch self {
        case .expired(let token, let oldest):
            """
            the history after transaction \(token.number) has been purged (up to \(oldest.number)): read \
            container.currentHistoryToken(), fetch the objects again, and continue from that token
            """
        case .foreignToken(let token, let store):
            """
            the token is of the store \(token.store), this one is \(store): read \
            container.currentHistoryToken(), fetch the objects again, and continue from that token
            """
        case .unknownConsumer(let name):
            "no consumer '\(name)' is registered: container.registerHistoryConsumer(_:) makes it known"
        }
    }
}
