import TestSupport
import Tributary
import TributaryStore

/// The costs of work in one block of a context.
enum ContextRows {
    static let all = [
        row("objects linked to one, one after another", 2_000) { context, count in
            let works = try context.insert(Works.self)
            for _ in 0..<count { try context.insert(Worker.self).employer = works }
            try context.save()
        },
        row("objects added to a to-many relationship", 2_000) { context, count in
            let works = try context.insert(Works.self)
            for _ in 0..<count { works.add(try context.insert(Worker.self), to: Works.workers) }
            try context.save()
        },
        row("append in place through a relationship's objects", 2_000) { context, count in
            let works = try context.insert(Works.self)
            for _ in 0..<count { works.objects(of: Works.workers).append(try context.insert(Worker.self)) }
            try context.save()
        },
        row("append through the array accessor", 2_000) { context, count in
            try append(count, in: context)
            try context.save()
        },
        GrowthRow(
            title: "steps of appends through the array accessor",
            order: .linear,
            smallest: 2_000,
            unit: .steps
        ) { count in
            let container = try await open()
            let steps = try await container.newBackgroundContext().perform { context in
                try append(count, in: context)
                return context.listStepCount
            }
            try await container.close()
            return Double(steps)
        },
        row("insert in front of an ordered relationship", 500) { context, count in
            let works = try context.insert(Works.self)
            for _ in 0..<count { works.insert(try context.insert(Worker.self), into: Works.queue, at: 0) }
            try context.save()
        },
        row("objects deleted by a cascade", 2_000) { context, count in
            let works = try context.insert(Works.self)
            for _ in 0..<count { try context.insert(Worker.self).employer = works }
            try context.save()
            context.delete(works)
            try context.save()
        },
        row("upsert by a unique key in one block", 1_000) { context, count in
            for number in 0..<count {
                _ = try context.upsert(Worker.self, by: ["code": .string("code \(number)")])
            }
            try context.save()
        },
        row("find or create by a fetch in one block", 1_000) { context, count in
            try findOrCreate(count, in: context)
            try context.save()
        },
        row("find or create by a fetch with a relationship", 1_000) { context, count in
            try findOrCreate(count, in: context, at: try context.insert(Works.self))
            try context.save()
        },
        row("find or create by a relationship alone", 1_000) { context, count in
            // A deleted object would make the condition a matter of unsaved changes.
            context.delete(try context.insert(Works.self))
            for _ in 0..<count {
                let works = try context.insert(Works.self)
                let arguments = [PredicateArgument.object(works.objectID)]
                if try context.fetch(FetchRequest("Worker", where: "employer == %@", arguments)).isEmpty {
                    try context.insert(Worker.self).employer = works
                }
            }
            try context.save()
        },
        GrowthRow(title: "a changed value under a results controller", order: .constant, smallest: 5_000) { count in
            try await listed(count) { view, workers, _ in
                try await GrowthRow.processorMilliseconds {
                    for number in 0..<50 {
                        workers[number * 37 % count].name = "changed \(number)"
                        view.processPendingChanges()
                    }
                }
            }
        },
        GrowthRow(
            title: "steps of a changed value under a results controller",
            order: .logarithmic,
            smallest: 5_000,
            unit: .steps,
            // The trees are balanced by chance.
            runs: 3
        ) { count in
            try await listed(count) { view, workers, controller in
                let before = controller.stepCount
                for number in 0..<50 {
                    workers[number * 37 % count].name = "changed \(number)"
                    view.processPendingChanges()
                }
                return Double(controller.stepCount - before)
            }
        },
        GrowthRow(title: "a merged value under a results controller", order: .constant, smallest: 5_000) { count in
            try await listed(count) { view, workers, _ in
                guard let container = view.container else { return .infinity }
                let ids = (0..<20).map { workers[$0 * 37 % count].objectID }
                return try await GrowthRow.processorMilliseconds {
                    for id in ids {
                        try await container.performBackgroundTask { context in
                            (try context.existingObject(with: id) as? Worker)?.name = "merged"
                            try context.save()
                        }
                        await container.mergePendingChanges()
                    }
                }
            }
        },
        GrowthRow(title: "upsert in a child of a context", order: .linear, smallest: 500) { count in
            try await upsertInChild(count)
        },
        GrowthRow(title: "find or create by a fetch in a child of a context", order: .linear, smallest: 500) { count in
            try await belowUnsaved(count) { parent in
                let child = parent.newChild()
                return try await GrowthRow.processorMilliseconds { try findOrCreate(2 * count, in: child) }
            }
        },
        GrowthRow(title: "find or create with a relationship in a child", order: .linear, smallest: 500) { count in
            try await belowUnsaved(count) { parent in
                let child = parent.newChild()
                let works = child.object(with: try parent.insert(Works.self).objectID, as: Works.self)
                return try await GrowthRow.processorMilliseconds { try findOrCreate(count, in: child, at: works) }
            }
        },
        GrowthRow(title: "find or create by a fetch in a child on a queue", order: .linear, smallest: 500) { count in
            try await belowUnsaved(count) { parent in
                guard let child = parent.container?.newChildOfViewContext() else { return .infinity }
                return try await GrowthRow.processorMilliseconds {
                    try await child.perform { try findOrCreate(2 * count, in: $0) }
                }
            }
        },
    ]

    private static func row(
        _ title: String,
        _ smallest: Int,
        _ work: @escaping @Sendable (ManagedObjectContext, Int) throws -> Void
    ) -> GrowthRow {
        GrowthRow(title: title, order: .linear, smallest: smallest) { count in
            let container = try await open()
            let context = container.newBackgroundContext()
            let cost = try await GrowthRow.processorMilliseconds {
                try await context.perform { try work($0, count) }
            }
            try await container.close()
            return cost
        }
    }

    /// Looks so many workers up by name, of one works or of all, and makes those that are not there.
    private static func findOrCreate(_ count: Int, in context: ManagedObjectContext, at works: Works? = nil) throws {
        for number in 0..<count {
            var text = "name == %@"
            var arguments: [PredicateArgument] = [.string("name \(number)")]
            if let works {
                text += " AND employer == %@"
                arguments.append(.object(works.objectID))
            }
            if try context.fetch(FetchRequest("Worker", where: text, arguments), as: Worker.self).isEmpty {
                let worker = try context.insert(Worker.self)
                worker.name = "name \(number)"
                if let works { worker.employer = works }
            }
        }
    }

    /// The measurement of `work` in a child of a context with the given number of unsaved workers.
    @MainActor
    private static func belowUnsaved(
        _ count: Int,
        _ work: @MainActor (ManagedObjectContext) async throws -> Double
    ) async throws -> Double {
        let container = try await open()
        for number in 0..<count { try container.viewContext.insert(Worker.self).name = "name \(number)" }
        let cost = try await work(container.viewContext)
        try await container.close()
        return cost
    }

    private static func append(_ count: Int, in context: ManagedObjectContext) throws {
        let works = try context.insert(Works.self)
        for number in 0..<count {
            let worker = try context.insert(Worker.self)
            if number.isMultiple(of: 2) { works.workers.append(worker) } else { works.workers += [worker] }
        }
    }

    /// A list of so many workers, all of them saved, and what `work` measures with it.
    @MainActor
    private static func listed(
        _ count: Int,
        _ work: @MainActor (ManagedObjectContext, [Worker], FetchedResultsController<Worker>) async throws -> Double
    ) async throws -> Double {
        let container = try await open()
        let view = container.viewContext
        let workers = try (0..<count).map { number in
            let worker = try view.insert(Worker.self)
            worker.name = "name \(number)"
            return worker
        }
        try view.save()
        let controller = try FetchedResultsController<Worker>(
            FetchRequest("Worker", sortKeys: [SortKey("name")]),
            context: view
        )
        let cost = try await work(view, workers, controller)
        precondition(controller.fetchedObjects.count == count)
        try await container.close()
        return cost
    }

    /// Half of what is looked for is unsaved in the parent, the other half is new.
    @MainActor
    private static func upsertInChild(_ count: Int) async throws -> Double {
        let container = try await open()
        let parent = container.viewContext
        for number in 0..<count { try parent.insert(Worker.self).code = "code \(number)" }
        let child = parent.newChild()
        let cost = try await GrowthRow.processorMilliseconds {
            for number in 0..<2 * count {
                _ = try child.upsert(Worker.self, by: ["code": .string("code \(number)")])
            }
        }
        precondition(child.insertedObjects.count == count)
        try await container.close()
        return cost
    }

    private static func open() async throws -> PersistentContainer {
        try await PersistentContainer(
            name: "growth",
            model: try Works.model(),
            classes: [Works.self, Worker.self],
            store: .memory
        )
    }
}
