import Foundation
import TestSupport
import Testing
import Tributary

/// Objects as values: out of one context, through JSON, into another store.
struct SnapshotExchangeTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws { (folder, container) = try await Gallery.open() }

    private func saved() async throws -> (ObjectSnapshot, ExhibitSnapshot) {
        try await container.performBackgroundTask { context in
            let exhibit = try context.insert(Exhibit.self)
            for kind in AttributeKindTests.kinds { try exhibit.setValue(kind.value, forKey: kind.name) }
            exhibit.next = try context.insert(Exhibit.self)
            try context.save()
            return (exhibit.snapshot(), ExhibitSnapshot(exhibit))
        }
    }

    @Test func everyTypeOfValueGoesThroughJSON() async throws {
        let (snapshot, typed) = try await saved()
        for kind in AttributeKindTests.kinds { #expect(snapshot[kind.name] == kind.value, "\(kind.name)") }
        let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
        #expect(try decoder.decode(ObjectSnapshot.self, from: encoder.encode(snapshot)) == snapshot)
        #expect(try decoder.decode(ExhibitSnapshot.self, from: encoder.encode(typed)) == typed)
        #expect(snapshot["nothing"] == .null)
        #expect(snapshot.values["previous"] == nil, "to-many relationships stay out")
    }

    @Test func includeTakesWhatItNames() async throws {
        let all = try await saved().0
        try await container.performBackgroundTask { context in
            let exhibit = try context.existingObject(with: all.id)
            let some = exhibit.snapshot(include: ["title", "next", "previous", "nothing"])
            #expect(some.values.keys.sorted() == ["next", "title"])
            #expect(some["next"] == all["next"] && some["next"] != .null)
            #expect(exhibit.snapshot(include: []).values.isEmpty)
            #expect(exhibit.snapshot() == all)
        }
    }

    @Test func anInsertTakesIDAndValues() async throws {
        let (snapshot, _) = try await saved()
        let other = try await Gallery.open(folder, name: "other")
        try await other.performBackgroundTask { context in
            let copy = try context.insert(from: snapshot)
            #expect(copy.objectID == snapshot.id)
            #expect(copy.snapshot().values.filter { $0.key != "next" } == snapshot.values.filter { $0.key != "next" })
            // The object that the relationship leads to comes later, and so reads nil until then.
            #expect(copy.snapshot()["next"] == .null)
            guard case .reference(let next) = snapshot["next"] else { throw ContextError.notFound(snapshot.id) }
            try context.insert(Exhibit.self, id: next)
            #expect(copy.snapshot() == snapshot)
            try context.save()
            context.reset()
            #expect(try context.existingObject(with: snapshot.id).snapshot() == snapshot)
            let again = try context.insert(from: snapshot)
            #expect(throws: ContextError.duplicateID(snapshot.id)) { try context.save() }
            context.delete(again)
        }
    }

    @Test func anUpdateChangesWhatDiffersAndNothingElse() async throws {
        let (snapshot, typed) = try await saved()
        var changed = typed
        changed.title = "new"
        changed.address?.number = 99
        changed.nextID = nil
        let update = changed
        try await container.performBackgroundTask { context in
            let exhibit = try context.existingObject(with: snapshot.id, as: Exhibit.self)
            try exhibit.update(from: snapshot)
            #expect(!context.hasChanges, "the same values are no change")
            try exhibit.update(from: update)
            #expect(Set(exhibit.changedValues().keys) == ["title", "address", "next"])
            #expect(exhibit.next == nil && exhibit.address?.number == 99 && exhibit.address?.street == "High Street")
            try context.save()
            #expect(exhibit.snapshot(as: ExhibitSnapshot.self) == update)
        }
    }

    @Test func aSnapshotThatDoesNotFitChangesNothing() async throws {
        let (snapshot, typed) = try await saved()
        try await container.performBackgroundTask { context in
            let exhibit = try context.existingObject(with: snapshot.id)
            let wrong = ObjectSnapshot(id: snapshot.id, values: ["large": .integer(1), "title": .boolean(true)])
            #expect(throws: ContextError.self) { try exhibit.update(from: wrong) }
            let unknown = ObjectSnapshot(id: snapshot.id, values: ["large": .integer(1), "town": .null])
            #expect(throws: ContextError.unknownProperty(entity: "Exhibit", property: "town")) {
                try exhibit.update(from: unknown)
            }
            #expect(exhibit.snapshot() == snapshot && !context.hasChanges)
            let foreign = ManagedObjectID("Town", UniqueID(high: 1, low: 1), store: "gallery")
            #expect(throws: ContextError.unknownEntity("Town")) {
                try context.insert(from: ObjectSnapshot(id: foreign, values: [:]))
            }
            #expect(context.insertedObjects.isEmpty)
            #expect(typed.objectID == snapshot.id)
        }
    }

    @Test func predicatesOnSnapshotsFetchTheObjects() async throws {
        let (_, typed) = try await saved()
        let nextID = try #require(typed.nextID)
        let predicate = #Predicate<ExhibitSnapshot> { one in
            one.nextID == nextID && one.address?.street == "High Street" && one.large ?? 0 > 5
        }
        #expect(try predicate.evaluate(typed))
        let translated = try ObjectPredicate(predicate)
        let text = "next == %@ AND address.street == 'High Street' AND large != NULL AND large > 5"
        #expect(translated == (try ObjectPredicate(parsing: text, arguments: [.object(nextID)])))
        try await container.performBackgroundTask { context in
            let found = try context.fetch(Exhibit.self, predicate: translated)
            #expect(found.map(\.objectID) == [typed.objectID])
            let id = typed.objectID
            let own = try ObjectPredicate(#Predicate<ExhibitSnapshot> { $0.objectID == id })
            #expect(try context.fetch(Exhibit.self, predicate: own) == found)
        }
    }

    @Test func aTypedSnapshotAnswersAPredicateAsItsObjectDoes() async throws {
        let (_, typed) = try await saved()
        let texts = ["title == 'x'", "title != nil", "next != nil", "next == nil", "small > 0", "title.length > 0"]
        let answers = try await container.performBackgroundTask { context in
            let exhibit = try context.existingObject(with: typed.objectID)
            return try texts.map { try ObjectPredicate(parsing: $0).evaluate(with: exhibit) }
        }
        #expect(Set(answers) == [true, false])
        for (text, answer) in zip(texts, answers) {
            #expect(try ObjectPredicate(parsing: text).evaluate(with: typed, in: container) == answer, "\(text)")
        }
        #expect(try ObjectPredicate(parsing: "SELF == %@", typed.objectID).evaluate(with: typed, in: container))
        #expect(throws: ObjectPredicateError.self) {
            try ObjectPredicate(parsing: "next.title == 'x'").evaluate(with: typed, in: container)
        }
    }
}

struct ExhibitSnapshot: TypedSnapshot {
    var objectID: ManagedObjectID
    var title: String?
    var large: Int64?
    var address: Address?
    var nextID: ManagedObjectID?

    init(_ exhibit: Exhibit) {
        objectID = exhibit.objectID
        title = exhibit.title
        large = exhibit.large
        address = exhibit.address
        nextID = exhibit[idOf: Exhibit.next]
    }

    func write(to exhibit: Exhibit) {
        exhibit.title = title
        exhibit.large = large
        exhibit.address = address
        exhibit[idOf: Exhibit.next] = nextID
    }

    static func propertyName(of path: PartialKeyPath<Self>) -> String? {
        switch path {
        case \Self.title: "title"
        case \Self.large: "large"
        case \Self.address: "address"
        case \Self.nextID: "next"
        default: nil
        }
    }
}
