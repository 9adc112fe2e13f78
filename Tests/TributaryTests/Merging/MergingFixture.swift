import TestSupport
import TributaryStore

@testable import Tributary

/// A container of accounts on a clock that the test moves.
struct MergingFixture {
    let folder: TemporaryFolder
    let clock: ManualClock
    let container: PersistentContainer

    init(_ change: (inout MergeOptions) -> Void = { _ in }) async throws {
        folder = try TemporaryFolder("merging")
        clock = ManualClock()
        var options = MergeOptions.fixture
        change(&options)
        container = try await PersistentContainer.open(
            at: folder.path("store.sqlite"),
            "test",
            model: AccountModel.make(),
            merging: options,
            clock: clock
        )
    }

    var store: Store { container.store }

    /// Saves new accounts on a background context.
    @discardableResult
    func open(_ owners: String...) async throws -> HistoryToken {
        let token = try await container.newBackgroundContext().perform { context in
            for owner in owners {
                try context.insert("Account", ["owner": .string(owner)])
            }
            try context.save()
            return context.lastSaveToken
        }
        guard let token else { throw NoToken() }
        return token
    }

    struct NoToken: Error {}

    @MainActor
    func owners() throws -> [String] {
        try container.viewContext.fetch(FetchRequest("Account", sortKeys: [SortKey("owner")])).map {
            try $0.text("owner")
        }
    }

    @MainActor
    func openInMain(_ owner: String) throws -> ManagedObject {
        try container.viewContext.insert("Account", ["owner": .string(owner)])
    }

    /// Moves the clock to `time` when the scheduler sleeps until then.
    func advance(to time: Duration) async {
        await clock.waitForSleeper(until: time)
        clock.advance(to: time)
    }

    func stored() throws -> Int {
        guard let entity = store.model.entity(named: "Account") else { return 0 }
        return try store.read { try $0.count(FetchQuery(entity: entity)) }
    }
}

extension MergeOptions {
    /// Nothing is merged unless a test asks for it.
    static var onRequest: MergeOptions {
        var options = MergeOptions()
        options.debounce = .seconds(3600)
        options.ceiling = .seconds(3600)
        return options
    }

    /// As ``fixture``, without saves of the main context by a merge.
    static var unsaved: MergeOptions {
        var options = fixture
        options.saves = false
        return options
    }

    /// The options of every test that asks for nothing else: the limit of pending changes is the run's.
    static var fixture: MergeOptions {
        var options = MergeOptions()
        if let limit = PendingLimit.asked { options.pendingLimit = limit }
        return options
    }
}

/// Accounts with an owner, which deletions leave in the history, and a balance.
enum AccountModel {
    static func make() throws -> Model {
        try Model(
            entities: """
                Account:
                  attributes:
                    owner: {type: String, max: 20, preserve_after_deletion: true}
                    balance: {type: Integer 64, default: 0}
                """
        )
    }
}

extension ObjectChanges {
    /// Whether the set has the number of new objects, listed, or collapsed by a lower limit of pending changes.
    func tells(ofInserted count: Int) -> Bool {
        if PendingLimit.collapses(count) { return isEverything || !collapsedEntities.isEmpty }
        return inserted.count == count
    }

    /// Whether the set covers the object, listed or not.
    func tells(of id: ManagedObjectID) -> Bool {
        inserted.contains(id) || updated.contains(id) || deleted.contains(id) || PendingLimit.asked != nil && covers(id)
    }
}
