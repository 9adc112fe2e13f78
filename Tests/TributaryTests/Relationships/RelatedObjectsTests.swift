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
}
