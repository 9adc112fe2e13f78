import TestSupport
import Testing

@testable import Tributary

/// Random operations on relationships and on unsaved objects, held against plain arrays after each step.
struct ListOperationsTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws { (folder, container) = try await OrderedModel.open() }

    @Test(arguments: ["items", "tags", "links"])
    func anOrderedRelationshipIsTheArrayThatTheOperationsMake(_ key: String) async throws {
        let entity = key == "items" ? "Item" : "Tag"
        var random = SeededGenerator.fromEnvironment()
        let seed = random.seed
        // Each step holds the whole list against the array: the cost of a round is the square of its steps.
        let steps = 300
        for _ in LongProofs.rounds(5) {
            let roundSeed = random.next()
            try await container.save { context in
                var random = SeededGenerator(seed: roundSeed)
                let list = try context.insert(entity: "List")
                var expected: [ManagedObject] = []
                var spare: [ManagedObject] = []
                for step in 0..<steps {
                    switch Int.random(in: 0..<12, using: &random) {
                    case 0..<4:
                        let object = try context.insert(entity: entity)
                        let index = Int.random(in: 0...expected.count, using: &random)
                        try list.insert(object, forKey: key, at: index)
                        expected.insert(object, at: index)
                    case 4, 5:
                        let object = try spare.popLast() ?? context.insert(entity: entity)
                        try list.link(object, forKey: key)
                        expected.append(object)
                    case 6 where !expected.isEmpty:
                        let object = expected.remove(at: Int.random(in: expected.indices, using: &random))
                        try list.unlink(object, forKey: key)
                        spare.append(object)
                    case 7 where !expected.isEmpty:
                        let object = expected.remove(at: Int.random(in: expected.indices, using: &random))
                        let index = Int.random(in: 0...expected.count, using: &random)
                        try list.insert(object, forKey: key, at: index)
                        expected.insert(object, at: index)
                    case 8 where !expected.isEmpty && key != "links":
                        context.delete(expected.remove(at: Int.random(in: expected.indices, using: &random)))
                        context.processPendingChanges()
                    case 9 where step % 5 == 0: try context.save()
                    case 10 where step % 7 == 0:
                        expected.shuffle(using: &random)
                        try list.setObjects(expected, forKey: key)
                    default: break
                    }
                    try #require(try list.objects(forKey: key) == expected, "seed \(seed), step \(step)")
                }
                try context.save()
                #expect(try list.objects(forKey: key) == expected, "seed \(seed)")
                context.refresh(list, mergeChanges: false)
                #expect(try list.objects(forKey: key) == expected, "seed \(seed)")
                context.delete(list)
            }
        }
    }

    @Test func aFetchByAKeyFindsWhatAFilterOfAllFinds() async throws {
        var random = SeededGenerator.fromEnvironment()
        let seed = random.seed
        let roundSeed = random.next()
        let steps = 400
        try await container.performBackgroundTask { context in
            var random = SeededGenerator(seed: roundSeed)
            context.undoStack = UndoStack()
            var objects: [ManagedObject] = []
            for step in 0..<steps {
                let name = "n\(Int.random(in: 0..<60, using: &random))"
                let index = objects.isEmpty ? 0 : Int.random(in: objects.indices, using: &random)
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<5: objects.append(try OrderedModel.named(name, "Item", in: context))
                case 5 where !objects.isEmpty, 6 where !objects.isEmpty:
                    try objects[index].setValue(.string(name), forKey: "name")
                case 7 where !objects.isEmpty: context.delete(objects.remove(at: index))
                case 8 where step % 40 == 0: try context.save()
                case 9 where step % 30 == 0: try context.insert(entity: "List")
                default: break
                }
                let request = try FetchRequest("Item", where: "name == %@ AND list == nil", [.string(name)])
                let found = try context.fetch(request)
                let plain = objects.filter { (try? $0.value(forKey: "name")) == .string(name) }
                try #require(Set(found) == Set(plain) && found.count == plain.count, "seed \(seed), step \(step)")
                #expect(try context.count(for: request) == plain.count, "seed \(seed), step \(step)")
                var one = request
                one.fetchLimit = 1
                #expect(try context.fetchIDs(one) == found.first.map { [$0.objectID] } ?? [], "seed \(seed)")
            }
        }
    }

    @Test func changesBetweenLookupsAreNotAllKept() async throws {
        let count = 100
        try await container.performBackgroundTask { context in
            for number in 0..<count { _ = try OrderedModel.named("n\(number)", "Item", in: context) }
            func find(_ name: String) throws -> [ManagedObject] {
                try context.fetch(try FetchRequest("Item", where: "name == %@", [.string(name)]))
            }
            let item = try #require(try find("n0").first)
            for number in 0..<20 * count { try item.setValue(.string("m\(number)"), forKey: "name") }
            #expect(context.pending.list.keys.size <= 4 * count + 128, "\(context.pending.list.keys.size)")
            for number in 0..<20 * count {
                try item.setValue(.string("k\(number % 2)"), forKey: "name")
                #expect(try find("k\(number % 2)") == [item])
            }
            #expect(context.pending.list.keys.size <= 4 * count + 128, "\(context.pending.list.keys.size)")
            #expect(try find("k0").isEmpty && find("n1").count == 1)
        }
    }

    @Test func findOrCreateVisitsEachUnsavedObjectAFewTimes() async throws {
        let count = 1_000
        try await container.performBackgroundTask { context in
            for number in 0..<count {
                let request = try FetchRequest("Item", where: "name == %@", [.string("n\(number % (count / 2))")])
                if try context.fetch(request).isEmpty { _ = try OrderedModel.named("n\(number)", "Item", in: context) }
            }
            #expect(context.insertedObjects.count == count / 2)
            #expect(context.pending.list.keys.visited <= 4 * count, "\(context.pending.list.keys.visited)")
        }
    }
}
