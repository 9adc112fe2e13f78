import CSQLite
import GRDB
import TributaryChanges
package import TributaryModel

package struct Migrator: Sendable {
    private let settings: MigrationSettings

    package init(_ settings: MigrationSettings = MigrationSettings()) {
        self.settings = settings
    }

    /// Nil if the store is already at the model; custom stages and unique keys are not examined.
    package func forecast(_ configuration: StoreConfiguration) throws -> (plan: MigrationPlan, losses: [MigrationLoss])?
    {
        try Store.inspect(configuration.path) { database in
            try MigrationRun(db: database, configuration: configuration, settings: settings).forecast()
        }
    }

    func migrate(_ database: Database, configuration: StoreConfiguration) throws -> StoreModel {
        do {
            return try MigrationRun(db: database, configuration: configuration, settings: settings).run()
        } catch let error where error is StoreError || error is DatabaseError || error is MigrationError {
            throw error
        } catch {
            throw StoreError.cannotOpen(path: configuration.path, reason: "\(error)")
        }
    }
}

package struct MigrationSettings: Sendable {
    /// If false, a store that needs a migration is refused.
    package var migrates = true
    /// Whether values without a successor may be dropped under an unchanged version name.
    package var allowsLoss = false
    package var stages: [CustomMigrationStage] = []
    /// Called every few thousand objects; an error ends the migration.
    package var report: (@Sendable (MigrationProgress) throws -> Void)?
    /// True ends the migration; the next opening starts it again.
    package var shouldStop: (@Sendable () -> Bool)?

    package var stepsBetweenQuestions = Database.stepsBetweenQuestions

    package init() {}
}

package struct CustomMigrationStage: Sendable {
    package var from: String
    package var to: String
    package var willMigrate: @Sendable (MigrationEdit) throws -> Void
    package var didMigrate: @Sendable (MigrationEdit) throws -> Void

    package init(
        from: String,
        to: String,
        willMigrate: @escaping @Sendable (MigrationEdit) throws -> Void,
        didMigrate: @escaping @Sendable (MigrationEdit) throws -> Void
    ) {
        self.from = from
        self.to = to
        self.willMigrate = willMigrate
        self.didMigrate = didMigrate
    }
}

struct MigrationRun {
    let db: Database
    let configuration: StoreConfiguration
    let settings: MigrationSettings

    private struct PlannedStep {
        var inference: MigrationInference
        var plan: MigrationPlan
        var stage: CustomMigrationStage?
        var first: Int
        var last: Int
    }

    func run() throws -> StoreModel {
        var recorded = try RecordedModels(db, path: configuration.path)
        let model = configuration.model
        let hash = model.versionHash
        if recorded.currentHash == hash {
            let older = recorded.versions(withCurrent: false, except: hash)
            let catalogue = try Catalogue(db)
            let layout = target(model, older).layout(catalogue)
            // An entry that is missing would get another number, under which the rows of the merge state are not found.
            guard Catalogue(layout).hasNumbers(of: catalogue) else {
                throw StoreError.database(code: SQLITE_CORRUPT, message: "tributary_catalogue does not fit the model")
            }
            return layout
        }
        guard let current = try recorded.current() else {
            throw StoreError.database(code: SQLITE_CORRUPT, message: "tributary_model has no version")
        }
        let (steps, between, losses) = try prepare(from: current, recorded)
        do {
            return try interruptible {
                try carryOut(steps, through: between, losses: losses, recorded: &recorded)
            }
        } catch StoreError.database(SQLITE_INTERRUPT, _) {
            throw MigrationError.interrupted(from: current.version, to: model.version)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
            throw MigrationError.interrupted(from: current.version, to: model.version)
        }
    }

    func forecast() throws -> (plan: MigrationPlan, losses: [MigrationLoss])? {
        let recorded = try RecordedModels(db, path: configuration.path)
        guard recorded.currentHash != configuration.model.versionHash, let current = try recorded.current() else {
            return nil
        }
        let (steps, _, losses) = try prepare(from: current, recorded)
        return (plan(of: steps, from: current), losses)
    }

    private func plan(of steps: [PlannedStep], from current: Model) -> MigrationPlan {
        let changes = steps.flatMap(\.plan.changes)
        return MigrationPlan(from: current.version, to: configuration.model.version, changes: changes)
    }

    private func prepare(
        from current: Model,
        _ recorded: RecordedModels
    ) throws -> (steps: [PlannedStep], between: [Model]?, losses: [MigrationLoss]) {
        let (model, currentHash) = (configuration.model, recorded.currentHash ?? current.versionHash)
        // A return to an earlier version is treated as newer if it lists the store's version as older, or has another
        // name. Otherwise it needs permission to lose values.
        let between = model.earlier.following(versionHash: currentHash)
        let isListed = between != nil && model.earlier.areListed
        let chain = [current] + (between ?? []) + [model]
        guard isListed || !recorded.hasLeft(model.versionHash, version: model.version) || settings.allowsLoss else {
            let losses = (try? losses(through: chain, steps(through: chain))) ?? []
            throw MigrationError.olderModel(store: current.version, model: model.version, losses)
        }
        // Without renaming identifiers the order of names is a guess: the model may be older than the store's version.
        // Values are then lost only with permission.
        let isGuess =
            !isListed
            && (MigrationInference(from: current, to: model).isBackwards
                ?? (between == nil && !ModelVersions.areInOrder(current.version, model.version)))
        let steps = try steps(through: chain)
        guard settings.migrates else { throw MigrationError.notAllowed(plan(of: steps, from: current)) }
        let losses = try losses(through: chain, steps)
        guard losses.isEmpty || settings.allowsLoss || (current.version != model.version && !isGuess) else {
            throw MigrationError.losesValues(from: current.version, to: model.version, losses)
        }
        return (steps, between, losses)
    }

    private func carryOut(
        _ steps: [PlannedStep],
        through between: [Model]?,
        losses: [MigrationLoss],
        recorded: inout RecordedModels
    ) throws -> StoreModel {
        let model = configuration.model
        guard let last = steps.last else { throw MigrationError.notInferable(from: "", to: "", []) }
        var progress = MigrationProgress(from: steps[0].plan.from, to: last.plan.to)
        progress.losses = losses
        try settings.report?(progress)
        var layout: StoreModel?
        for step in steps {
            let before = target(step.inference.old, recorded.versions(withCurrent: false))
            let after = target(step.inference.new, recorded.versions(withCurrent: true))
            if let stage = step.stage {
                try perform(stage, stage.willMigrate, before, before.layout(try Catalogue(db)))
            }
            let learnsNames = steps.count > 1 || !model.earlier.areLast(of: recorded.versions(withCurrent: true))
            let made = try MigrationStep(
                db: db,
                target: after,
                inference: step.inference,
                learnsNames: learnsNames,
                report: settings.report
            ).run()
            let passed = between.map { $0.prefix { $0.version != step.plan.to } }
            try recorded.move(to: step.inference.new, through: passed.map(Array.init))
            if let stage = step.stage { try perform(stage, stage.didMigrate, after, made, from: step.inference.old) }
            let violations = try MigrationCheck(db: db, inference: step.inference, layout: made).violations()
            guard violations.isEmpty else {
                throw MigrationError.violated(from: step.plan.from, to: step.plan.to, violations)
            }
            layout = made
        }
        try settings.report?(progress)
        guard let layout else { throw MigrationError.notInferable(from: "", to: "", []) }
        return layout
    }

    /// Custom stages are responsible for their own losses.
    private func losses(through chain: [Model], _ steps: [PlannedStep]) throws -> [MigrationLoss] {
        let layout = target(chain[0], .none).layout(try Catalogue(db))
        let hasStages = steps.contains { $0.stage != nil }
        func losses(upTo last: Int) throws -> [MigrationLoss] {
            guard last > 0 else { return [] }
            let inference = MigrationInference(along: chain[...last], replacesProperties: hasStages)
            return try MigrationLosses(db: db, inference: inference, layout: layout).counted()
        }
        var result: [MigrationLoss] = []
        for step in steps where step.stage == nil {
            let before = Set(try losses(upTo: step.first).map(\.withoutReason))
            result += try losses(upTo: step.last).filter { !before.contains($0.withoutReason) }
        }
        return result
    }

    private func perform(
        _ stage: CustomMigrationStage,
        _ block: (MigrationEdit) throws -> Void,
        _ target: MigrationTarget,
        _ layout: StoreModel,
        from oldModel: Model? = nil
    ) throws {
        let edit = MigrationEdit(db, configuration: target.configuration, layout: layout, oldModel: oldModel)
        do {
            try block(edit)
            try edit.flush()
        } catch {
            throw MigrationError.stageFailed(from: stage.from, to: stage.to, reason: "\(error)")
        }
    }

    private func steps(through chain: [Model]) throws -> [PlannedStep] {
        let (current, model) = (chain[0], chain[chain.count - 1])
        var steps: [PlannedStep] = []
        var refusals: [MigrationRefusal] = []
        func add(_ first: Int, _ last: Int, _ stage: CustomMigrationStage?) {
            guard first < last else { return }
            let inference = MigrationInference(along: chain[first...last], replacesProperties: stage != nil)
            guard inference.refusals.isEmpty, let plan = try? inference.plan() else {
                refusals += inference.refusals
                return
            }
            steps.append(PlannedStep(inference: inference, plan: plan, stage: stage, first: first, last: last))
        }
        var index = 0
        while index < chain.count - 1 {
            var next: (first: Int, last: Int, stage: CustomMigrationStage)?
            for stage in settings.stages {
                guard let first = chain[index...].firstIndex(where: { $0.version == stage.from }),
                    let last = chain[(first + 1)...].firstIndex(where: { $0.version == stage.to }),
                    next.map({ first < $0.first }) ?? true
                else { continue }
                next = (first, last, stage)
            }
            add(index, next?.first ?? chain.count - 1, nil)
            if let next { add(next.first, next.last, next.stage) }
            index = next?.last ?? chain.count - 1
        }
        guard refusals.isEmpty else {
            throw MigrationError.notInferable(from: current.version, to: model.version, refusals)
        }
        return steps
    }

    private func target(_ model: Model, _ older: ModelVersions) -> MigrationTarget {
        MigrationTarget(model, older: older, configuration)
    }

    private func interruptible<T>(_ block: () throws -> T) throws -> T {
        guard let shouldStop = settings.shouldStop else { return try block() }
        return try db.interrupting(when: shouldStop, every: settings.stepsBetweenQuestions, block)
    }
}

extension MigrationInference {
    fileprivate init(along chain: ArraySlice<Model>, replacesProperties: Bool) {
        let between = Array(chain.dropFirst().dropLast())
        let (old, new) = (chain[chain.startIndex], chain[chain.endIndex - 1])
        self.init(from: old, through: between, to: new, replacesProperties: replacesProperties)
    }
}

extension MigrationLoss {
    fileprivate var withoutReason: MigrationLoss {
        var loss = self
        loss.reason = ""
        return loss
    }
}
