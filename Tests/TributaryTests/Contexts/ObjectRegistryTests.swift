import TestSupport
import Testing

@testable import Tributary

/// A context knows the objects that are in use, and does not hold them.
@MainActor
struct ObjectRegistryTests {
    let folder: TemporaryFolder
    let container: PersistentContainer
    private var view: ManagedObjectContext { container.viewContext }
    let ids: [ManagedObjectID]

    /// Holds an object on the main actor; its own end may be anywhere.
    @MainActor
    final class Keeper {
        let object: ManagedObject

        init(_ object: ManagedObject) { self.object = object }
    }

    init() async throws {
        folder = try TemporaryFolder("registry")
        container = try await Company.open(.memory, in: folder)
        ids = try await container.hire((0..<20).map { "E\($0)" })
        try await container.settled()
    }

    @Test func anObjectThatNobodyHoldsGoesAtOnce() throws {
        weak var seen: ManagedObject?
        do {
            let object = try view.existingObject(with: ids[0])
            seen = object
            #expect(view.registeredObject(for: ids[0]) === object && view.registeredObjects == [object])
        }
        #expect(seen == nil && view.registeredObject(for: ids[0]) == nil && view.registeredObjects.isEmpty)
        let again = try view.existingObject(with: ids[0], as: Employee.self)
        #expect(again.name == "E0")
    }

    @Test func changedObjectsAreHeldUntilTheyAreSaved() throws {
        weak var changed: ManagedObject?
        weak var made: ManagedObject?
        do {
            let employee = try #require(view.object(with: ids[1]) as? Employee)
            employee.name = "changed"
            changed = employee
            let new = try view.hire("new")
            made = new
        }
        view.undoStack = nil
        #expect(changed != nil && made != nil && view.registeredObjects.count == 2)
        try view.save()
        #expect(changed == nil && made == nil && view.registeredObjects.isEmpty)
    }

    @Test func aRetainingContextHoldsAllObjectsUntilItIsSwitchedOff() {
        _ = view.object(with: ids[0])
        #expect(view.registeredObjects.isEmpty)
        let first = view.object(with: ids[0])
        view.retainsRegisteredObjects = true
        for id in ids { _ = view.object(with: id) }
        #expect(view.registeredObjects.count == 20 && view.registeredObject(for: ids[0]) === first)
        view.retainsRegisteredObjects = false
        #expect(view.registeredObjects == [first])
        view.retainsRegisteredObjects = true
        for id in ids { _ = view.object(with: id) }
        view.reset()
        #expect(view.registeredObjects.isEmpty && first.state == .detached)
        _ = view.object(with: ids[3])
        #expect(view.registeredObjects.map(\.objectID) == [ids[3]], "it goes on retaining")
    }

    @Test func objectsOfBeforeAResetDoNotTakeOutThoseOfAfterIt() throws {
        var old: ManagedObject? = view.object(with: ids[0])
        view.reset()
        let new = view.object(with: ids[0])
        #expect(old !== new)
        old = nil
        #expect(view.registeredObject(for: ids[0]) === new)
    }

    @Test func anObjectThatIsReleasedElsewhereIsFoundWholeOrNotAtAll() async throws {
        var found = 0
        for round in 0..<300 {
            let id = ids[round % ids.count]
            var keeper: Keeper? = Keeper(view.object(with: id))
            let taken = SendingBox(keeper)
            keeper = nil
            // The last one to hold the object may be this task, on a thread of its own, while it is looked up here.
            let end = Task.detached { _ = taken.open() }
            if let object = view.registeredObject(for: id) {
                found += 1
                #expect(object.objectID == id && object.managedObjectContext === view)
            }
            let object = try #require(view.object(with: id) as? Employee)
            #expect(object.name == "E\(round % ids.count)")
            await end.value
        }
        print("\(found) of 300 were still there")
        #expect(view.registeredObjects.count <= 1)
    }

    @Test func manyObjectsComeAndGoWithoutATrace() throws {
        view.undoStack = nil
        for _ in 0..<5 {
            var objects = try (0..<2000).map { _ in try view.insert(Employee.self) }
            #expect(view.registry.count == 2000)
            #expect(objects.allSatisfy { view.registeredObject(for: $0.objectID) === $0 })
            view.rollback()
            #expect(view.registry.count == 0)
            objects = []
        }
        let fetched = try view.fetch(FetchRequest("Employee"))
        #expect(view.registry.count == fetched.count && fetched.count == 20)
    }
}
