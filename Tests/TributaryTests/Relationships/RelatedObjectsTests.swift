import TestSupport
import Testing

@testable import Tributary

/// A to-many relationship that is changed in place.
struct RelatedObjectsTests {
    private static func projects(_ employee: Employee) -> RelatedObjects<Project> {
        employee.objects(of: Employee.projects)
    }

    @Test func changesInPlaceChangeTheRelationship() async throws {
        let folder = try TemporaryFolder("related")
        let container = try await Company.open(folder)
        let id = try await container.save { context in
            let employee = try context.hire("Ann")
            let all = try (0..<4).map { _ in try context.insert(Project.self) }
            let projects = Self.projects(employee)
            #expect(projects.isEmpty)
            projects.append(all[0])
            Self.projects(employee).append(contentsOf: all[1...])
            // An object that is already related is related once.
            projects.append(all[2])
            #expect(projects.count == 4 && Set(projects) == Set(all) && projects.array == employee.projects)
            #expect(all.allSatisfy { projects.contains($0) && $0.members == [employee] })
            projects.remove(all[1])
            #expect(!projects.contains(all[1]) && projects.contains(all[2]))
            #expect(all[1].members.isEmpty)
            context.delete(all[3])
            context.processPendingChanges()
            #expect(!projects.contains(all[3]) && projects.count == 2)
            return employee.objectID
        }
        try await container.performBackgroundTask { context in
            let employee = try #require(context.existingObject(with: id) as? Employee)
            let projects = Self.projects(employee)
            let first = try #require(projects.first { _ in true })
            #expect(projects.contains(first) && projects.count == 2)
            projects.remove(first)
            #expect(!projects.contains(first) && projects.count == 1)
        }
    }

    @Test func orderedOnesKeepTheirOrder() async throws {
        let folder = try TemporaryFolder("related")
        let container = try await OrderedModel.open(folder)
        try await container.performBackgroundTask { context in
            let items = RelatedObjects(try context.insert(entity: "List"), ToMany<ManagedObject>("items"))
            let all = try (0..<4).map { try OrderedModel.named("\($0)", "Item", in: context) }
            items.append(contentsOf: all[..<3])
            items.insert(all[3], at: 0)
            #expect(items.array == [all[3], all[0], all[1], all[2]])
            items.move(all[3], to: 2)
            #expect(items.array == [all[0], all[1], all[3], all[2]])
        }
    }

    /// An array is read, changed and assigned as a whole; the objects that are in it already are not visited.
    @Test(arguments: ["items", "tags", "links"])
    func `an append to an array visits the new object`(_ key: String) async throws {
        let folder = try TemporaryFolder("related")
        let container = try await OrderedModel.open(folder)
        let relationship = ToMany<ManagedObject>(key)
        func steps(_ count: Int, isStored: Bool) async throws -> Int {
            try await container.performBackgroundTask { context in
                let list = try context.insert(entity: "List")
                if isStored {
                    try list.link(try OrderedModel.named("0", OrderedModel.entity(key), in: context), forKey: key)
                    try context.save()
                }
                let before = context.listStepCount
                var expected = list[relationship]
                for number in 1...count {
                    let object = try OrderedModel.named("\(number)", OrderedModel.entity(key), in: context)
                    if number.isMultiple(of: 2) {
                        list[relationship].append(object)
                    } else {
                        list[relationship] += [object]
                    }
                    expected.append(object)
                    #expect(list[relationship].count == expected.count)
                }
                let steps = context.listStepCount - before
                #expect(list[relationship] == expected && list.hasChanges)
                try context.save()
                context.refresh(list, mergeChanges: false)
                #expect(list[relationship] == expected)
                return steps
            }
        }
        for isStored in [false, true] {
            let (first, second, third) = (
                try await steps(100, isStored: isStored), try await steps(200, isStored: isStored),
                try await steps(400, isStored: isStored)
            )
            #expect(second - first == 100 && third - second == 200, "\(first), \(second), \(third)")
        }
    }

    /// The function that gets the array for a change may read the relationship.
    @Test func `a read during a change in place sees the objects before the change`() async throws {
        let folder = try TemporaryFolder("related")
        let container = try await OrderedModel.open(folder)
        try await container.performBackgroundTask { context in
            let list = try context.insert(entity: "List")
            let items = ToMany<ManagedObject>("items")
            let all = try "abcd".map { try OrderedModel.named("\($0)", "Item", in: context) }
            func append(_ object: ManagedObject, to objects: inout [ManagedObject]) -> [ManagedObject] {
                defer { objects.append(object) }
                return list[items]
            }
            for (index, object) in all.enumerated() {
                #expect(append(object, to: &list[items]) == Array(all[..<index]))
                #expect(list[items] == Array(all[...index]))
            }
        }
    }

    /// An object may get the memory of one that nothing else keeps.
    @Test func `an object that takes the place of another in an array is linked`() async throws {
        let folder = try TemporaryFolder("related")
        let container = try await OrderedModel.open(folder)
        let items = ToMany<ManagedObject>("items")
        let (id, others) = try await container.performBackgroundTask { context in
            let list = try context.insert(entity: "List")
            list[items] = [try OrderedModel.named("first", "Item", in: context)]
            let others = try (0..<20).map { try OrderedModel.named("\($0)", "Item", in: context) }
            try context.save()
            return (list.objectID, others.map(\.objectID))
        }
        try await container.performBackgroundTask { context in
            let list = try context.existingObject(with: id)
            #expect(list[items].count == 1)
            var new: ManagedObject?
            func renew(_ objects: inout [ManagedObject]) {
                let address = objects.first.map(ObjectIdentifier.init)
                var found: [ManagedObject] = []
                found.reserveCapacity(others.count)
                objects.removeAll()
                for other in others { found.append(context.object(with: other)) }
                new = found.first { ObjectIdentifier($0) == address } ?? found[0]
                if let new { objects.append(new) }
            }
            renew(&list[items])
            #expect(list[items] == [new] && list.hasChanges)
            #expect(try new?.value(forKey: "list") == .reference(list.uniqueID))
        }
    }

    @Test func `an array that was fetched before a save is assigned as a whole`() async throws {
        let folder = try TemporaryFolder("related")
        let container = try await OrderedModel.open(folder)
        let items = ToMany<ManagedObject>("items")
        let id = try await container.save { context in
            let list = try context.insert(entity: "List")
            list[items] = [try OrderedModel.named("a", "Item", in: context)]
            return list.objectID
        }
        try await container.performBackgroundTask { context in
            let list = try context.existingObject(with: id)
            let new = try "bc".map { try OrderedModel.named("\($0)", "Item", in: context) }
            func change(_ objects: inout [ManagedObject]) throws {
                list.add(new[0], to: items)
                try context.save()
                objects.append(new[1])
            }
            try change(&list[items])
            #expect(try OrderedModel.names(list, "items") == "ac")
        }
    }

    @Test func `other changes between appends to an array are seen`() async throws {
        let folder = try TemporaryFolder("related")
        let container = try await OrderedModel.open(folder)
        let background = container.newBackgroundContext(mergePolicy: .objectTrump)
        let items = ToMany<ManagedObject>("items")
        let id = try await background.perform { context in
            let list = try context.insert(entity: "List")
            let all = try "abcdef".map { try OrderedModel.named("\($0)", "Item", in: context) }
            list[items].append(all[0])
            list[items].append(all[1])
            // An object that is in the list already, one that moves, one that leaves and one that comes otherwise.
            list[items].append(all[0])
            #expect(list[items] == [all[0], all[1]])
            list[items].append(all[2])
            list.move(all[2], in: items, to: 0)
            list[items] += [all[3]]
            #expect(list[items] == [all[2], all[0], all[1], all[3]])
            context.delete(all[0])
            context.processPendingChanges()
            list[items].append(all[4])
            #expect(list[items] == [all[2], all[1], all[3], all[4]])
            try all[5].setValue(.reference(list.uniqueID), forKey: "list")
            list[items].removeFirst()
            list[items][0] = all[2]
            #expect(list[items] == [all[2], all[3], all[4], all[5]])
            try context.save()
            list[items].append(try OrderedModel.named("g", "Item", in: context))
            return list.objectID
        }
        try await container.save { context in
            let list = try context.existingObject(with: id)
            list[items].append(try OrderedModel.named("h", "Item", in: context))
        }
        try await background.perform { context in
            let list = try context.existingObject(with: id)
            context.refresh(list, mergeChanges: true)
            #expect(try OrderedModel.names(list, "items") == "cdefhg")
            let child = context.newChild()
            let lower = child.object(with: id)
            lower[items].append(try OrderedModel.named("i", "Item", in: child))
            list[items].removeLast()
            child.processPendingChanges()
            lower[items].append(try OrderedModel.named("j", "Item", in: child))
            #expect(try OrderedModel.names(lower, "items") == "cdefhij")
        }
    }
}
