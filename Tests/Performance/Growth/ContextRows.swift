import Tributary
import TributaryStore

/// What a program does in one block of a context, or what its context does for it.
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
        row("append through the array accessor", 1_000) { context, count in
            let works = try context.insert(Works.self)
            for _ in 0..<count { works.workers.append(try context.insert(Worker.self)) }
            try context.save()
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
            for number in 0..<count {
                let request = try FetchRequest("Worker", where: "name == %@", [.string("name \(number)")])
                if try context.fetch(request, as: Worker.self).isEmpty {
                    try context.insert(Worker.self).name = "name \(number)"
                }
            }
            try context.save()
        },
        GrowthRow(title: "a changed value under a results controller", order: .constant, smallest: 5_000) { count in
            try await changeUnderResultsController(of: count)
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

    @MainActor
    private static func changeUnderResultsController(of count: Int) async throws -> Double {
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
        let cost = try await GrowthRow.processorMilliseconds {
            for number in 0..<50 {
                workers[number * 37 % count].name = "changed \(number)"
                view.processPendingChanges()
            }
        }
        precondition(controller.fetchedObjects.count == count)
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
