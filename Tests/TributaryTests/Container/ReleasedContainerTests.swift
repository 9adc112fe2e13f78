import Foundation
import TestSupport
import Testing

@testable import Tributary

/// A container that is released without being closed closes its store, whatever holds its contexts and objects.
@MainActor
struct ReleasedContainerTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("released") }

    /// The files of the folder that the process has open.
    private var openFiles: [String] {
        let listed = "/proc/self/fd"
        let numbers = (try? FileManager.default.contentsOfDirectory(atPath: listed)) ?? []
        return numbers.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(listed)/\($0)") }
            .filter { $0.hasPrefix(folder.path("")) }
    }

    /// Opens a container, does something with it, and releases it; `body` returns what the program keeps.
    private func release(_ body: @MainActor (PersistentContainer) async throws -> [Any]) async throws {
        var container: PersistentContainer? = try await Company.open(folder)
        let kept = try await body(try #require(container))
        #expect(!openFiles.isEmpty)
        // A job that processes changes may still hold the container.
        try await container?.settled()
        weak let former = container
        container = nil
        #expect(former == nil)
        #expect(openFiles.isEmpty, "\(kept.count) kept")
        withExtendedLifetime(kept) {}
    }

    @Test func `steps that can be undone`() async throws {
        try await release { container in
            let view = container.viewContext
            let ann = try view.hire("Ann")
            try view.save()
            ann.name = "Bob"
            view.delete(ann)
            try view.save()
            #expect(view.undoStack?.canUndo == true)
            return []
        }
    }

    @Test func `unsaved objects, and children with unsaved objects`() async throws {
        try await release { container in
            let view = container.viewContext
            let ann = try view.hire("Ann")
            try view.save()
            ann.name = "Bob"
            let child = view.newChild()
            child.undoStack = UndoStack()
            _ = try child.hire("Cid")
            _ = try child.newChild().hire("Dan")
            return []
        }
    }

    @Test func `contexts, objects, observers, controllers and streams that a program keeps`() async throws {
        try await release { container in
            let view = container.viewContext
            view.retainsRegisteredObjects = true
            let ann = try view.hire("Ann")
            let token = view.observeChanges { _ in _ = view.hasChanges }
            let request = FetchRequest<Employee>(sortKeys: [SortKey("name")])
            let controller = try FetchedResultsController(request, context: view)
            return [
                view, ann, view.newChild(), token, controller, controller.changes(), ann.updates(),
                container.storeUpdates(), container.activities(),
            ]
        }
    }

    @Test func `background contexts and children on their own queues`() async throws {
        try await release { container in
            let background = container.newBackgroundContext()
            try await background.perform { context in
                context.undoStack = UndoStack()
                _ = try context.hire("Ann")
                _ = try context.newChild().hire("Bob")
                try context.pin()
            }
            try await background.newChild().perform { _ = try $0.hire("Cid") }
            _ = try await container.newChildOfViewContext().perform { try $0.hire("Dan").objectID }
            return []
        }
    }

    @Test func `a context whose container is gone has no objects, and refuses work`() async throws {
        var container: PersistentContainer? = try await Company.open(folder)
        let view = try #require(container).viewContext
        let ann = try view.hire("Ann")
        try await container?.settled()
        container = nil
        #expect(view.container == nil && ann.state == .detached && view.registeredObjects.isEmpty)
        #expect(throws: ContextError.closed) { try view.hire("Bob") }
        #expect(throws: ContextError.self) { try view.fetch(Employee.self) }
    }
}
