import TestSupport
import Testing
import Tributary

/// Taking back and doing again, object by object and through the delete rules.
struct UndoTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws { (folder, container) = try await Company.open() }

    private func recording(
        _ body: @escaping @Sendable (ManagedObjectContext, UndoStack) throws -> Void
    ) async throws {
        try await container.newBackgroundContext().perform { context in
            #expect(context.undoStack == nil, "nothing is recorded unless asked for")
            let stack = UndoStack()
            context.undoStack = stack
            try body(context, stack)
        }
    }

    private static func endGroup(_ stack: UndoStack) {
        stack.beginUndoGrouping()
        stack.endUndoGrouping()
    }

    @Test func anUpdateIsTakenBackAndDoneAgain() async throws {
        try await recording { context, stack in
            let ann = try context.hireAndSave("Ann")
            stack.removeAllActions()
            #expect(!stack.canUndo && !stack.canRedo)
            ann.name = "Bob"
            ann.salary = 5
            ann.name = "Cid"
            #expect(stack.canUndo)
            context.undo()
            #expect(ann.name == "Ann" && ann.salary == nil)
            #expect(!context.hasChanges && ann.state == .clean, "nothing is left to save")
            #expect(!stack.canUndo && stack.canRedo)
            context.redo()
            #expect(ann.name == "Cid" && ann.salary == 5 && ann.isUpdated)
            #expect(stack.canUndo && !stack.canRedo)
            context.undo()
            #expect(ann.name == "Ann")
            ann.salary = 7
            #expect(!stack.canRedo, "another change is another future")
        }
    }

    @Test func anInsertIsTakenBackAndDoneAgainWithItsValues() async throws {
        try await recording { context, stack in
            let ann = try context.hire("Ann")
            let id = ann.objectID
            context.undo()
            #expect(!context.hasChanges && ann.state == .gone)
            #expect(try context.fetch(Employee.self).isEmpty)
            context.redo()
            #expect(context.insertedObjects == [ann] && ann.name == "Ann" && ann.objectID == id)
            try context.save()
            #expect(try context.fetch(Employee.self) == [ann])
            context.undo()
            #expect(ann.isDeleted, "after a save it is a new change")
            try context.save()
            #expect(try context.count(for: FetchRequest("Employee")) == 0)
            context.redo()
            #expect(ann.isInserted)
            try context.save()
            #expect(try context.fetch(Employee.self).map(\.name) == ["Ann"])
            _ = stack
        }
    }

    @Test func aDeletionIsTakenBackWithWhatCascadeAndNullifyDid() async throws {
        try await recording { context, stack in
            let ann = try context.hire("Ann")
            let badge = try context.insert(Badge.self)
            badge.owner = ann
            let department = try context.insert(Department.self)
            ann.department = department
            let project = try context.insert(Project.self)
            project.members = [ann]
            try context.save()
            stack.removeAllActions()
            context.delete(ann)
            context.processPendingChanges()
            #expect(badge.isDeleted && department.employees.isEmpty && project.members.isEmpty)
            context.undo()
            #expect(!ann.isDeleted && !badge.isDeleted)
            #expect(badge.owner == ann && ann.badge == badge)
            #expect(department.employees == [ann] && project.members == [ann] && ann.projects == [project])
            #expect(!context.hasChanges)
            context.redo()
            #expect(ann.isDeleted && badge.isDeleted && department.employees.isEmpty && project.members.isEmpty)
            try context.save()
            context.undo()
            #expect(ann.isInserted && badge.isInserted, "a deletion that was saved: they exist again")
            #expect(ann.name == "Ann" && badge.owner == ann && department.employees == [ann])
            try context.save()
            #expect(try context.fetch(Employee.self).map(\.name) == ["Ann"])
            #expect(try context.count(for: FetchRequest("Badge")) == 1)
        }
    }

    @Test func aDeletionOfADepartmentGivesItsEmployeesBack() async throws {
        try await recording { context, stack in
            let department = try context.insert(Department.self)
            let (ann, bob) = (try context.hire("Ann"), try context.hire("Bob"))
            department.employees = [ann, bob]
            try context.save()
            stack.removeAllActions()
            context.delete(department)
            context.processPendingChanges()
            #expect(ann.department == nil && bob.department == nil)
            context.undo()
            #expect(ann.department == department && bob.department == department)
            #expect(Set(department.employees) == [ann, bob] && !context.hasChanges)
        }
    }

    @Test func relationshipsAreTakenBackAtBothEnds() async throws {
        try await recording { context, stack in
            let (first, second) = (try context.insert(Department.self), try context.insert(Department.self))
            let ann = try context.hire("Ann")
            let (ship, boat) = (try context.insert(Project.self), try context.insert(Project.self))
            ann.department = first
            ann.projects = [ship]
            try context.save()
            stack.removeAllActions()
            ann.department = second
            ann.projects = [boat]
            context.undo()
            #expect(ann.department == first && first.employees == [ann] && second.employees.isEmpty)
            #expect(ann.projects == [ship] && ship.members == [ann] && boat.members.isEmpty)
            #expect(!context.hasChanges)
            context.redo()
            #expect(ann.department == second && second.employees == [ann] && first.employees.isEmpty)
            #expect(ann.projects == [boat] && boat.members == [ann] && ship.members.isEmpty)
            try context.save()
        }
    }

    @Test func anObjectThatCameAndWentInOneGroupLeavesNothing() async throws {
        try await recording { context, stack in
            let ann = try context.hire("Ann")
            context.delete(ann)
            context.processPendingChanges()
            context.undo()
            #expect(!context.hasChanges && ann.state == .gone)
            context.redo()
            #expect(!context.hasChanges)
            _ = stack
        }
    }

    @Test func onePerformIsOneGroup() async throws {
        let background = container.newBackgroundContext()
        let id = try await background.perform { context in
            context.undoStack = UndoStack()
            context.retainsRegisteredObjects = true
            return try context.hire("Ann").objectID
        }
        for name in ["Bob", "Cid"] {
            await background.perform { context in
                (context.object(with: id) as? Employee)?.name = name
                (context.object(with: id) as? Employee)?.salary = 1
            }
        }
        try await background.perform { context in
            let ann = try #require(context.object(with: id) as? Employee)
            #expect(ann.name == "Cid")
            context.undo()
            #expect(ann.name == "Bob" && ann.salary == 1)
            context.undo()
            #expect(ann.name == "Ann" && ann.salary == nil)
            context.undo()
            #expect(!context.hasChanges && context.undoStack?.canUndo == false)
            for _ in 0..<4 { context.redo() }
            #expect(ann.name == "Cid" && ann.isInserted)
        }
    }

    @Test func aBlockOfAChildIsOneGroup() async throws {
        let child = container.newChildOfViewContext(name: "child")
        let id = try await child.perform { context in
            context.undoStack = UndoStack()
            context.retainsRegisteredObjects = true
            return try context.hire("Ann").objectID
        }
        await child.perform { context in (context.object(with: id) as? Employee)?.name = "Bob" }
        try await child.perform { context in
            let ann = try #require(context.object(with: id) as? Employee)
            context.undo()
            #expect(ann.name == "Ann")
            context.undo()
            #expect(!context.hasChanges && context.undoStack?.canUndo == false)
        }
    }

    @Test @MainActor func anEventOfTheParentIsOneGroupOfItsChild() throws {
        let view = container.viewContext
        let child = view.newChild(name: "child")
        child.undoStack = UndoStack()
        let ann = try child.hire("Ann")
        view.processPendingChanges()
        ann.name = "Bob"
        view.processPendingChanges()
        child.undo()
        #expect(ann.name == "Ann")
        child.undo()
        #expect(!child.hasChanges && child.undoStack?.canUndo == false)
    }

    @Test func aRedoInsideAGroupDoesNotDivideIt() async throws {
        try await recording { context, stack in
            let ann = try context.hire("Ann")
            try context.save()
            stack.removeAllActions()
            stack.beginUndoGrouping()
            ann.name = "Bob"
            context.redo()
            ann.salary = 1
            context.undo()
            #expect(ann.name == "Ann" && ann.salary == nil && !context.hasChanges)
        }
    }

    @Test func groupsNestHaveNamesAndALimit() async throws {
        try await recording { context, stack in
            let ann = try context.hire("Ann")
            Self.endGroup(stack)
            stack.beginUndoGrouping()
            ann.name = "Bob"
            stack.beginUndoGrouping()
            #expect(stack.groupingLevel == 2)
            ann.salary = 1
            stack.endUndoGrouping()
            ann.name = "Cid"
            stack.setActionName("Rename")
            #expect(stack.undoActionName == "Rename")
            stack.endUndoGrouping()
            #expect(stack.groupingLevel == 0 && stack.undoActionName == "Rename")
            context.undo()
            #expect(ann.name == "Ann" && ann.salary == nil, "a group in a group is part of it")
            #expect(stack.redoActionName == "Rename" && stack.undoActionName == "")
            context.redo()
            #expect(ann.name == "Cid" && stack.undoActionName == "Rename")

            stack.levelsOfUndo = 3
            for number in 0..<10 {
                ann.salary = Double(number)
                Self.endGroup(stack)
            }
            for _ in 0..<10 { context.undo() }
            #expect(ann.salary == 6 && !stack.canUndo, "the last three of them")
            stack.removeAllActions()
            #expect(!stack.canRedo)
        }
    }

    @Test func unregisteredChangesAreNotUndone() async throws {
        try await recording { context, stack in
            let ann = try context.hireAndSave("Ann")
            stack.removeAllActions()
            stack.disableUndoRegistration()
            #expect(!stack.isUndoRegistrationEnabled)
            ann.name = "Bob"
            #expect(!stack.canUndo)
            stack.enableUndoRegistration()
            ann.salary = 1
            context.undo()
            #expect(ann.name == "Bob" && ann.salary == nil)
        }
    }

    @Test func aRollbackAndAResetEmptyTheStack() async throws {
        try await recording { context, stack in
            _ = try context.hire("Ann")
            context.rollback()
            #expect(!stack.canUndo && !stack.canRedo)
            _ = try context.hire("Bob")
            context.undo()
            #expect(stack.canRedo)
            context.reset()
            #expect(!stack.canRedo)
            context.undo()
            context.redo()
            #expect(!context.hasChanges)
        }
    }

    @Test func aMergedDeletionTakesItsStepsOffAndAMergedUpdateIsNotRecorded() async throws {
        let background = container.newBackgroundContext()
        let ids = try await background.perform { context in
            let objects = [try context.hire("Ann"), try context.hire("Bob")]
            try context.save()
            context.undoStack = UndoStack()
            context.automaticallyMergesChangesFromParent = true
            for object in objects { object.salary = 1 }
            return objects.map(\.objectID)
        }
        try await container.save { context in
            context.delete(context.object(with: ids[0]))
            (context.object(with: ids[1]) as? Employee)?.age = 40
        }
        try await background.perform { context in
            let bob = try #require(context.object(with: ids[1]) as? Employee)
            #expect(bob.age == 40 && bob.salary == 1)
            context.undo()
            #expect(bob.salary == nil && bob.age == 40, "others' changes stay")
            #expect(context.insertedObjects.isEmpty && !context.hasChanges, "the deleted one does not come back")
        }
    }

    @Test func aMergedDeletionTakesItsUndoneStepsOffToo() async throws {
        let background = container.newBackgroundContext()
        let ann = try await background.perform { context in
            let ann = try context.hireAndSave("Ann")
            context.undoStack = UndoStack()
            context.automaticallyMergesChangesFromParent = true
            ann.salary = 1
            context.undo()
            #expect(context.undoStack?.canRedo == true)
            return ann.objectID
        }
        try await container.delete(ann)
        await background.perform { context in
            #expect(context.undoStack?.canRedo == false)
            context.redo()
            #expect(!context.hasChanges, "nothing is done to an object that is gone")
        }
    }

    @Test @MainActor func theViewContextHasAStackAndOneGroupForEachJob() async throws {
        let view = container.viewContext
        let stack = try #require(view.undoStack)
        let ann = try view.hire("Ann")
        _ = try view.fetch(Employee.self)
        ann.salary = 1
        view.processPendingChanges()
        ann.name = "Bob"
        try view.save()
        view.undo()
        #expect(ann.name == "Ann" && ann.salary == 1 && stack.canUndo)
        view.undo()
        #expect(ann.isDeleted && !stack.canUndo)
        view.redo()
        view.redo()
        #expect(ann.name == "Bob" && !ann.isDeleted && !view.hasChanges)
        try await container.close()
        #expect(!stack.canUndo)
    }

    /// Random changes in groups: taking all back and doing all again ends where it began and where it was.
    @Test func randomChangesAreTakenBackAndDoneAgain() async throws {
        let seed = SeededGenerator.printingSeed().seed
        try await recording { context, stack in
            var random = SeededGenerator(seed: seed)
            stack.levelsOfUndo = 0
            var employees = try (0..<4).map { try context.hire("\($0)") }
            let departments = try (0..<2).map { _ in try context.insert(Department.self) }
            let projects = try (0..<3).map { _ in try context.insert(Project.self) }
            try context.save()
            stack.removeAllActions()
            func picture() throws -> [String] {
                try context.fetch(Employee.self).map { employee in
                    let projects = employee.projects.map { "\($0.uniqueID)" }.sorted().joined(separator: ",")
                    let salary = employee.salary.map { "\($0)" } ?? "-"
                    return "\(employee.name) \(salary) \(employee.department?.uniqueID.description ?? "-") \(projects)"
                }.sorted()
            }
            let first = try picture()
            for step in 0..<60 {
                for _ in 0...Int.random(in: 0..<3, using: &random) {
                    let live = employees.filter { $0.state != .deleted && $0.state != .gone }
                    guard let employee = live.randomElement(using: &random) else { break }
                    switch Int.random(in: 0..<6, using: &random) {
                    case 0: employee.salary = Double(step)
                    case 1: employee.department = departments.randomElement(using: &random)
                    case 2: employee.department = nil
                    case 3: employee.projects = projects.filter { _ in Bool.random(using: &random) }
                    case 4 where live.count > 1: context.delete(employee)
                    default: employees.append(try context.hire("n\(step)"))
                    }
                }
                context.processPendingChanges()
                Self.endGroup(stack)
                if step % 20 == 19 { try context.save() }
            }
            let last = try picture()
            var undone = 0
            while stack.canUndo {
                context.undo()
                undone += 1
            }
            #expect(undone > 30)
            #expect(try picture() == first)
            while stack.canRedo { context.redo() }
            #expect(try picture() == last)
        }
    }

    @Test func manyObjectsThatAMergeDeletesAreForgottenTogether() async throws {
        let background = container.newBackgroundContext()
        let ids = try await background.save { context in
            context.undoStack = UndoStack()
            let employees = try (0..<30).map { try context.hire("\($0)") }
            context.retainsRegisteredObjects = true
            return employees.map(\.objectID)
        }
        try await container.save { context in
            for id in ids.dropLast() { context.delete(try context.existingObject(with: id)) }
        }
        await background.perform { $0.automaticallyMergesChangesFromParent = true }
        await background.perform { context in
            context.undo()
            #expect(context.deletedObjects.map(\.objectID) == ids.suffix(1))
            #expect(context.undoStack?.canUndo == false)
        }
    }
}
