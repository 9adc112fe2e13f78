import TestSupport
import Testing
import Tributary
import TributaryStore

/// Relationships with their inverses, before and after a save, and what the delete rules do.
struct RelationshipTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws { (folder, container) = try await Company.open() }

    @Test func toOneAndItsInverseMoveTogether() async throws {
        try await container.performBackgroundTask { context in
            let (first, second) = (try context.insert(Department.self), try context.insert(Department.self))
            let employee = try context.hire("Ann")
            employee.department = first
            #expect(first.employees == [employee])
            try context.save()
            #expect(first.employees == [employee])
            employee.department = second
            #expect(first.employees.isEmpty && second.employees == [employee])
            employee.department = first
            #expect(first.employees == [employee] && second.employees.isEmpty)
            second.employees = [employee]
            #expect(employee.department == second)
            try context.save()
            context.reset()
            let departments = try context.fetch(Department.self)
            #expect(departments.map(\.employees.count).sorted() == [0, 1])
        }
    }

    @Test func pairsAreSeenFromBothEnds() async throws {
        try await container.performBackgroundTask { context in
            let (ann, bob) = (try context.hire("Ann"), try context.hire("Bob"))
            let project = try context.insert(Project.self)
            project.members = [ann, bob]
            #expect(ann.projects == [project] && bob.projects == [project])
            try context.save()
            ann.remove(project, from: Employee.projects)
            #expect(project.members == [bob])
            ann.add(project, to: Employee.projects)
            ann.add(project, to: Employee.projects)
            #expect(Set(project.members) == [ann, bob])
            bob.projects = []
            try context.save()
            context.reset()
            let read = try #require(try context.fetch(Project.self).first)
            #expect(read.members.map(\.name) == ["Ann"])
            #expect(read.members.first?.projects == [read])
        }
    }

    @Test(arguments: [true, false]) func oneToOneHasOneHolder(_ setsBadge: Bool) async throws {
        try await container.performBackgroundTask { context in
            let (ann, bob) = (try context.hire("Ann"), try context.hire("Bob"))
            let badge = try context.insert(Badge.self)
            ann.badge = badge
            #expect(badge.owner == ann)
            try context.save()
            if setsBadge { bob.badge = badge } else { badge.owner = bob }
            #expect(ann.badge == nil && bob.badge == badge && badge.owner == bob)
            try context.save()
            context.reset()
            let read = try #require(try context.fetch(Badge.self).first)
            #expect(read.owner?.name == "Bob" && read.owner?.badge == read)
        }
    }

    @Test func nullifyIsWrittenAsAChange() async throws {
        try await container.performBackgroundTask { context in
            let department = try context.insert(Department.self)
            let employee = try context.hire("Ann")
            employee.department = department
            try context.save()
            context.delete(department)
            try context.save()
            #expect(employee.department == nil && employee.state == .clean)
            #expect(try employee.value(forKey: "department") == .null)
        }
        let last = try container.committed.last
        #expect(Set((last?.changes ?? []).map(\.kind)) == [.delete, .update])
    }

    @Test func noActionLeavesTheOtherEnd() async throws {
        try await container.performBackgroundTask { context in
            let employee = try context.hire("Ann")
            let note = try context.insert(entity: "Note")
            try employee.link(note, forKey: "notes")
            try context.save()
            context.delete(employee)
            try context.save()
            context.reset()
            let read = try #require(try context.fetch(FetchRequest("Note")).first)
            #expect(try read.value(forKey: "writer") == .null, "a target that is not visible reads as nil")
        }
    }
}
