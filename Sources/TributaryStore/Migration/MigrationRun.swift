import CSQLite
import GRDB
import TributaryChanges
import TributaryModel

/// Finds out whether an existing store fits the model, and brings it there, in the transaction that opens it.
struct MigrationRun {
    let db: Database
    let configuration: StoreConfiguration

    private struct Leg {
        var inference: MigrationInference
        var plan: MigrationPlan
        /// The stage of one's own that covers it.
        var step: MigrationStep?
        /// The places of its two versions in the chain of all.
        var first: Int
        var last: Int
    }

    /// With `isForced` views and indexes are made anew though the model is the same.
    func run(isForced: Bool = false) throws -> StoreModel {
        var recorded = try RecordedModels(db, path: configuration.path)
        let model = configuration.model
        let hash = model.versionHash
        if recorded.currentHash == hash {
            let older = recorded.versions(withCurrent: false, except: hash)
            return try Migration(db: db, configuration: knowing(older, model)).run(isForced: isForced)
        }
        guard let current = try recorded.current(), let currentHash = recorded.currentHash else {
            // Made before models were recorded: only additions are understood.
            let layout = try Migration(db: db, configuration: knowing(.none, model)).run(isForced: isForced)
            try recorded.move(to: model, through: nil)
            return layout
        }
        // A version that is what an older one was is newer all the same when it knows the store's as older.
        let between = model.earlier.following(versionHash: currentHash)
        let isOlder = recorded.hasLeft(hash) || model.later.following(versionHash: currentHash) != nil
        guard between != nil || !isOlder else {
            throw failure(.olderModel(store: current.version, model: model.version))
        }
        let legs = try legs(through: [current] + (between ?? []) + [model])
        guard configuration.migration.migrates else {
            throw failure(.notAllowed(MigrationPlan(from: current.version, to: model.version, of: legs.map(\.plan))))
        }
        let losses = try losses(through: [current] + (between ?? []) + [model], legs)
        guard losses.isEmpty || configuration.migration.allowsLoss || current.version != model.version else {
            throw failure(.losesValues(version: model.version, losses))
        }
        do {
            return try interruptible { try carryOut(legs, through: between, losses: losses, recorded: &recorded) }
        } catch StoreError.database(SQLITE_INTERRUPT, _) {
            throw failure(.interrupted(from: current.version, to: model.version))
        } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
            throw failure(.interrupted(from: current.version, to: model.version))
        }
    }

    private func carryOut(
        _ legs: [Leg],
        through between: [Model]?,
        losses: [MigrationLoss],
        recorded: inout RecordedModels
    ) throws -> StoreModel {
        guard let last = legs.last else { throw failure(.notInferable(from: "", to: "", [])) }
        let settings = configuration.migration
        var progress = MigrationProgress(from: legs[0].plan.from, to: last.plan.to)
        progress.losses = losses
        try settings.report?(progress)
        var layout: StoreModel?
        for leg in legs {
            let before = knowing(recorded.versions(withCurrent: false), leg.inference.old)
            let after = knowing(recorded.versions(withCurrent: true), leg.inference.new)
            if let step = leg.step {
                var builder = LayoutBuilder(model: before.model, catalogue: try Catalogue(db))
                let old = builder.build(storeName: before.name, histories: before.histories)
                try perform(step, step.willMigrate, before, old)
            }
            let made = try MigrationLeg(db: db, configuration: after, inference: leg.inference).run()
            let passed = between.map { $0.prefix { $0.version != leg.plan.to } }
            try recorded.move(to: leg.inference.new, through: passed.map(Array.init))
            if let step = leg.step { try perform(step, step.didMigrate, after, made, from: leg.inference.old) }
            let violations = try MigrationCheck(db: db, inference: leg.inference, layout: made).violations()
            guard violations.isEmpty else {
                throw failure(.violated(from: leg.plan.from, to: leg.plan.to, violations))
            }
            layout = made
        }
        try settings.report?(progress)
        guard let layout else { throw failure(.notInferable(from: "", to: "", [])) }
        return layout
    }

    /// What is dropped on the way, as the store has it now; what a custom stage drops, it has seen to.
    private func losses(through chain: [Model], _ legs: [Leg]) throws -> [MigrationLoss] {
        var builder = LayoutBuilder(model: chain[0], catalogue: try Catalogue(db))
        let layout = builder.build(storeName: configuration.name)
        let hasStages = legs.contains { $0.step != nil }
        func losses(upTo last: Int) throws -> [MigrationLoss] {
            guard last > 0 else { return [] }
            let inference = MigrationInference(
                from: chain[0],
                through: Array(chain[1..<last]),
                to: chain[last],
                replacesProperties: hasStages
            )
            return try MigrationLosses(db: db, inference: inference, layout: layout).counted()
        }
        var result: [MigrationLoss] = []
        for leg in legs where leg.step == nil {
            let before = Set(try losses(upTo: leg.first))
            result += try losses(upTo: leg.last).filter { !before.contains($0) }
        }
        return result
    }

    private func perform(
        _ step: MigrationStep,
        _ body: (MigrationEdit) throws -> Void,
        _ configuration: StoreConfiguration,
        _ layout: StoreModel,
        from oldModel: Model? = nil
    ) throws {
        let edit = MigrationEdit(db, configuration: configuration, layout: layout, oldModel: oldModel)
        do {
            try body(edit)
            try edit.flush()
        } catch {
            throw failure(.stageFailed(from: step.from, to: step.to, reason: "\(error)"))
        }
    }

    /// Stages of one's own divide the way; what lies between them is inferred in one go.
    private func legs(through chain: [Model]) throws -> [Leg] {
        let (current, model) = (chain[0], chain[chain.count - 1])
        var legs: [Leg] = []
        var refusals: [MigrationRefusal] = []
        func add(_ first: Int, _ last: Int, _ step: MigrationStep?) {
            guard first < last else { return }
            let inference = MigrationInference(
                from: chain[first],
                through: Array(chain[(first + 1)..<last]),
                to: chain[last],
                replacesProperties: step != nil
            )
            guard inference.refusals.isEmpty, let plan = try? inference.plan() else {
                refusals += inference.refusals
                return
            }
            legs.append(Leg(inference: inference, plan: plan, step: step, first: first, last: last))
        }
        var place = 0
        while place < chain.count - 1 {
            var next: (first: Int, last: Int, step: MigrationStep)?
            for step in configuration.migration.stages {
                guard let first = chain[place...].firstIndex(where: { $0.version == step.from }),
                    let last = chain[(first + 1)...].firstIndex(where: { $0.version == step.to }),
                    next.map({ first < $0.first }) ?? true
                else { continue }
                next = (first, last, step)
            }
            add(place, next?.first ?? chain.count - 1, nil)
            if let next { add(next.first, next.last, next.step) }
            place = next?.last ?? chain.count - 1
        }
        guard refusals.isEmpty else {
            throw failure(.notInferable(from: current.version, to: model.version, refusals))
        }
        return legs
    }

    /// The configuration for one version, with the names of those before it.
    private func knowing(_ older: ModelVersions, _ model: Model) -> StoreConfiguration {
        var result = configuration
        result.model = model
        result.histories = [older, model.earlier].filter { $0.count > 0 }
        return result
    }

    private func failure(_ error: MigrationError) -> StoreError {
        .migration(path: configuration.path, error)
    }

    // MARK: Stopping

    private final class Stop {
        let isWanted: @Sendable () -> Bool

        init(_ isWanted: @escaping @Sendable () -> Bool) {
            self.isWanted = isWanted
        }
    }

    private func interruptible<T>(_ body: () throws -> T) throws -> T {
        guard let shouldStop = configuration.migration.shouldStop else { return try body() }
        let stop = Stop(shouldStop)
        sqlite3_progress_handler(
            db.sqliteConnection,
            configuration.migration.stepsBetweenQuestions,
            { context in
                guard let context else { return 0 }
                return Unmanaged<Stop>.fromOpaque(context).takeUnretainedValue().isWanted() ? 1 : 0
            },
            Unmanaged.passUnretained(stop).toOpaque()
        )
        defer { sqlite3_progress_handler(db.sqliteConnection, 0, nil, nil) }
        return try withExtendedLifetime(stop, body)
    }
}

extension MigrationPlan {
    /// Several plans one after the other, told as one.
    fileprivate init(from: String, to: String, of plans: [MigrationPlan]) {
        self.init(from: from, to: to, changes: plans.flatMap(\.changes))
    }
}
