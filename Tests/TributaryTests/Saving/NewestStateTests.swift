import TestSupport
import TestTraits
import Testing
import TributaryStore

@testable import Tributary

/// A save checks its references and follows its delete rules on the newest state, not on what its context shows.
///
/// Its many cases have two stores each, and a process may have a limited number of files open.
@Suite(ConcurrentTestLimit(places: 16))
struct NewestStateTests {
    private let race: LateSave

    init() async throws { race = try await LateSave() }

    // MARK: References to what is gone

    @Test(arguments: LateSave.Place.allCases, MergePolicy.allCases)
    func `a mandatory reference to an object that was deleted elsewhere is refused under every policy`(
        _ place: LateSave.Place,
        _ policy: MergePolicy
    ) async throws {
        let (firm, spare) = (try await race.firm(), try await race.firm())
        let ann = try await race.insert("Person", ["employer": .reference(spare.uniqueID)])
        for isNew in [true, false] {
            let target = isNew ? firm : try await race.firm()
            let error = try await race.save(
                place,
                policy,
                here: { context in
                    let person = isNew ? try context.insert(entity: "Person") : try context.existingObject(with: ann)
                    try person.setValue(.reference(target.uniqueID), forKey: "employer")
                },
                elsewhere: { $0.delete(try $0.existingObject(with: target)) }
            )
            let failure = try #require((error as? ValidationError)?.failures.first)
            #expect(failure.property == "employer" && failure.rule == .missing && failure.entity == "Person")
            #expect(failure.message.contains("\(target)"), "\(failure.message)")
        }
        #expect(try await race.shows("Person") == [ann])
    }

    @Test(arguments: LateSave.Place.allCases)
    func `an optional reference to an object that was deleted elsewhere is written and reads nil`(
        _ place: LateSave.Place
    ) async throws {
        let host = try await race.firm()
        let error = try await race.save(
            place,
            here: { try $0.insert("Guest", ["host": .reference(host.uniqueID)]) },
            elsewhere: { $0.delete(try $0.existingObject(with: host)) }
        )
        #expect(error == nil)
        #expect(try await race.count("Guest", where: "host == NULL") == 1)
        #expect(try race.lines().contains { $0.contains("\"host\":\"\(host.uniqueID)\"") })
    }

    @Test func `a reference to an object that the save itself inserts is no look-up in the store`() async throws {
        let error = try await race.save(
            .pinned,
            here: { context in
                let firm = try context.insert(entity: "Firm")
                try context.insert("Person", ["employer": .reference(firm.uniqueID)])
            },
            elsewhere: { try $0.insert(entity: "Firm") }
        )
        #expect(error == nil)
    }

    @Test func `a member of a one-to-one pair that was given away elsewhere leaves a mandatory end empty`()
        async throws
    {
        let ticket = try await race.insert("Ticket", [:])
        let error = try await race.save(
            .pinned,
            .rollback,
            here: { context in
                let visit = try context.insert(entity: "Visit")
                try context.existingObject(with: ticket).setValue(.reference(visit.uniqueID), forKey: "visit")
            },
            elsewhere: { try $0.existingObject(with: ticket).setValue(.integer(7), forKey: "number") }
        )
        // The change of the ticket is dropped, so the new visit would have none.
        let failure = try #require((error as? ValidationError)?.failures.first)
        #expect(failure.property == "ticket" && failure.rule == .missing)
        #expect(try await race.shows("Visit").isEmpty)
    }

    @Test func `taking away the object that a mandatory end has is refused`() async throws {
        let visit = try await race.container.save { context in
            let visit = try context.insert(entity: "Visit")
            try context.insert("Ticket", ["visit": .reference(visit.uniqueID)])
            return visit.objectID
        }
        let error = try await race.save(
            .pinned,
            here: { context in
                let ticket = try #require(context.fetch(FetchRequest("Ticket")).first)
                try ticket.setValue(.null, forKey: "visit")
            },
            elsewhere: { _ in }
        )
        let failure = try #require((error as? ValidationError)?.failures.first)
        #expect(failure.objectID == visit && failure.property == "ticket" && failure.rule == .missing)
    }

    // MARK: Delete rules

    @Test(arguments: LateSave.Place.allCases, LateSave.Other.allCases)
    func `Cascade deletes an object that was linked elsewhere`(
        _ place: LateSave.Place,
        _ other: LateSave.Other
    ) async throws {
        let firm = try await race.firm()
        let old = try await race.insert("Person", ["employer": .reference(firm.uniqueID)])
        let error = try await race.save(
            place,
            .objectTrump,
            by: other,
            here: { $0.delete(try $0.existingObject(with: firm)) },
            elsewhere: { context in
                let person = try context.insert("Person", ["employer": .reference(firm.uniqueID)])
                try context.insert("Pen", ["owner": .reference(person.uniqueID)])
            }
        )
        #expect(error == nil)
        #expect(try await race.shows("Person").isEmpty)
        #expect(try await race.shows("Pen").isEmpty)
        #expect(try race.lines().count { $0.hasPrefix("{\"delete\"") } == 4, "the log has the deletions")
        let deleted = try race.container.fetchHistory().last?.changes.filter { $0.kind == .delete }.map(\.objectID)
        #expect(deleted?.count == 4 && deleted?.contains(old) == true)
    }

    @Test(arguments: LateSave.Place.allCases, LateSave.Other.allCases)
    func `Deny refuses the deletion of an object that was linked elsewhere`(
        _ place: LateSave.Place,
        _ other: LateSave.Other
    ) async throws {
        let firm = try await race.firm()
        let error = try await race.save(
            place,
            .overwrite,
            by: other,
            here: { $0.delete(try $0.existingObject(with: firm)) },
            elsewhere: { context in
                try context.insert("Lock", ["firm": .reference(firm.uniqueID)])
                try context.insert("Lock", ["firm": .reference(firm.uniqueID)])
            }
        )
        let failure = try #require((error as? ValidationError)?.failures.first)
        #expect(failure.rule == .denied && failure.objectID == firm && failure.property == "locks")
        #expect(failure.message == "must not be deleted while 2 other objects refer to it")
        #expect(try await race.shows("Firm") == [firm])
    }

    @Test func `Deny holds for pairs of many-to-many relationships, from both of their ends`() async throws {
        for (entity, key) in [("Firm", "partners"), ("Partner", "firms")] {
            let (firm, partner) = (try await race.firm(), try await race.insert("Partner", [:]))
            let doomed = entity == "Firm" ? firm : partner
            let error = try await race.save(
                .pinned,
                .objectTrump,
                here: { $0.delete(try $0.existingObject(with: doomed)) },
                elsewhere: { context in
                    try context.existingObject(with: firm).link(context.object(with: partner), forKey: "partners")
                }
            )
            let failure = try #require((error as? ValidationError)?.failures.first)
            #expect(failure.rule == .denied && failure.property == key)
        }
    }

    @Test(arguments: LateSave.Place.allCases)
    func `Nullify clears a reference that was made elsewhere, and the log says so`(
        _ place: LateSave.Place
    ) async throws {
        let host = try await race.firm()
        let guest = try await race.insert("Guest", [:])
        let error = try await race.save(
            place,
            .objectTrump,
            here: { context in
                context.delete(try context.existingObject(with: host))
                try context.existingObject(with: guest).setValue(.string("Ann"), forKey: "name")
            },
            elsewhere: { try $0.existingObject(with: guest).setValue(.reference(host.uniqueID), forKey: "host") }
        )
        #expect(error == nil)
        #expect(try race.lines().contains { $0.contains("\"\(guest.uniqueID)\"") && $0.contains("\"host\":null") })
        #expect(try await race.count("Guest", where: "host == NULL AND name == 'Ann'") == 1)
    }

    @Test func `Nullify does not clear a mandatory reference that was made elsewhere: the save is refused`()
        async throws
    {
        let firm = try await race.firm()
        let error = try await race.save(
            .view,
            .objectTrump,
            here: { $0.delete(try $0.existingObject(with: firm)) },
            elsewhere: { try $0.insert("Lease", ["tenant": .reference(firm.uniqueID)]) }
        )
        let failure = try #require((error as? ValidationError)?.failures.first)
        #expect(failure.rule == .missing && failure.property == "tenant" && failure.entity == "Lease")
        #expect(try await race.shows("Firm") == [firm])
    }

    @Test func `an object that a merge brought under a deleted one follows the rules too`() async throws {
        let firm = try await race.firm()
        try await MainActor.run {
            let view = race.container.viewContext
            view.delete(try view.existingObject(with: firm))
            view.processPendingChanges()
        }
        try await race.container.save { _ = try $0.insert("Person", ["employer": .reference(firm.uniqueID)]) }
        await race.container.mergePendingChanges()
        try await MainActor.run { try race.container.viewContext.save() }
        #expect(try await race.shows("Person").isEmpty)
        #expect(try await race.shows("Firm").isEmpty)
    }

    @Test func `a tree that grew elsewhere goes as a whole, and what moved out of it stays`() async throws {
        let (root, kept, other) = try await race.container.save { context in
            let root = try context.insert(entity: "Node")
            let kept = try context.insert("Node", ["parent": .reference(root.uniqueID)])
            return (root.objectID, kept.objectID, try context.insert(entity: "Node").objectID)
        }
        let error = try await race.save(
            .pinned,
            .storeTrump,
            here: { context in
                // The context moves the object away from an owner that it has never seen.
                try context.existingObject(with: kept).setValue(.reference(other.uniqueID), forKey: "parent")
                context.processPendingChanges()
                context.delete(try context.existingObject(with: root))
            },
            elsewhere: { context in
                var parent = other
                for _ in 0..<3 { parent = try context.insert("Node", ["parent": .reference(parent.uniqueID)]).objectID }
            }
        )
        #expect(error == nil)
        #expect(try await race.shows("Node").count == 5)
        let second = try await race.save(
            .pinned,
            .objectTrump,
            here: { $0.delete(try $0.existingObject(with: other)) },
            elsewhere: { context in
                let leaf = try context.insert("Node", ["parent": .reference(kept.uniqueID)])
                try context.existingObject(with: other).setValue(.reference(leaf.uniqueID), forKey: "parent")
            }
        )
        #expect(second == nil)
        #expect(try await race.shows("Node").isEmpty)
    }

    @Test func `what the context has in use shows what the rules did`() async throws {
        let firm = try await race.firm()
        let partner = try await race.insert("Partner", [:])
        let ann = try await race.insert("Guest", [:])
        let bob = try await race.insert("Person", ["employer": .reference(try await race.firm().uniqueID)])
        let background = race.container.newBackgroundContext(mergePolicy: .objectTrump)
        try await background.perform { context in
            context.retainsRegisteredObjects = true
            context.delete(try context.existingObject(with: firm))
            for id in [partner, ann, bob] { _ = try context.existingObject(with: id).snapshot() }
        }
        try await race.container.save { context in
            try context.existingObject(with: ann).setValue(.reference(firm.uniqueID), forKey: "host")
            try context.existingObject(with: bob).setValue(.reference(firm.uniqueID), forKey: "employer")
        }
        try await background.perform { context in
            var deleted: Set<ManagedObjectID> = []
            context.observeChanges { deleted.formUnion($0.deleted) }
            try context.save()
            context.processPendingChanges()
            #expect(context.registeredObject(for: bob) == nil)
            #expect(deleted == [firm, bob])
            #expect(try context.object(with: ann).value(forKey: "host") == .null)
            #expect(context.object(with: ann).rowRevision == context.lastSaveToken?.number)
            #expect(!context.hasChanges)
        }
    }

    @Test func `saves that are one transaction follow the rules on what they have saved themselves`() async throws {
        let firm = try await race.firm()
        let background = race.container.newBackgroundContext(mergePolicy: .objectTrump)
        try await background.perform { try $0.pin() }
        try await race.container.save { _ = try $0.insert("Person", ["employer": .reference(firm.uniqueID)]) }
        try await background.perform { context in
            try context.performInOneTransaction {
                try context.insert("Person", ["employer": .reference(firm.uniqueID)])
                try context.save()
                context.delete(try context.existingObject(with: firm))
                try context.save()
            }
        }
        #expect(try await race.shows("Person").isEmpty)
        let other = try await race.container.save { context in
            let replica = try context.insert(entity: "Firm")
            return replica.objectID
        }
        #expect(try await race.shows("Firm") == [other])
    }

    // MARK: An ID that is deleted and inserted again

    /// Another firm under the ID of one that the context deletes.
    private func replace(_ firm: ManagedObjectID, in context: ManagedObjectContext) throws -> ManagedObject {
        context.delete(try context.existingObject(with: firm))
        return try context.insert(entity: "Firm", id: firm.uniqueID)
    }

    @Test(arguments: LateSave.Place.allCases)
    func `the deletion that frees an ID follows the delete rules`(_ place: LateSave.Place) async throws {
        let (firm, guest) = (try await race.firm(), try await race.insert("Guest", [:]))
        let kept = try await race.insert("Person", ["employer": .reference(try await race.firm().uniqueID)])
        let error = try await race.save(
            place,
            .objectTrump,
            here: { context in
                let new = try replace(firm, in: context)
                try context.existingObject(with: kept).setValue(.reference(new.uniqueID), forKey: "employer")
            },
            elsewhere: { context in
                let person = try context.insert("Person", ["employer": .reference(firm.uniqueID)])
                try context.insert("Pen", ["owner": .reference(person.uniqueID)])
                try context.existingObject(with: guest).setValue(.reference(firm.uniqueID), forKey: "host")
            }
        )
        #expect(error == nil)
        #expect(try await race.shows("Person") == [kept], "what the save links to the new firm stays")
        #expect(try await race.shows("Pen").isEmpty)
        #expect(try await race.count("Guest", where: "host == NULL") == 1)
        #expect(try await race.count("Firm", where: "staff.@count == 1 AND guests.@count == 0") == 1)
        #expect(try race.lines().count { $0.hasPrefix("{\"delete\"") } == 3)
        #expect(try race.lines().contains { $0.contains("\"\(guest.uniqueID)\"") && $0.contains("\"host\":null") })
    }

    @Test(arguments: [("Lock", "firm"), ("Lease", "tenant"), ("Partner", "firms")])
    func `the deletion that frees an ID is refused`(_ entity: String, _ key: String) async throws {
        let (firm, partner) = (try await race.firm(), try await race.insert("Partner", [:]))
        let error = try await race.save(
            .pinned,
            .objectTrump,
            here: { try replace(firm, in: $0) },
            elsewhere: { context in
                if entity == "Partner" {
                    try context.existingObject(with: partner).link(context.object(with: firm), forKey: key)
                } else {
                    try context.insert(entity, [key: .reference(firm.uniqueID)])
                }
            }
        )
        let failure = try #require((error as? ValidationError)?.failures.first)
        #expect(failure.rule == (entity == "Lease" ? .missing : .denied))
        #expect(failure.objectID.uniqueID == firm.uniqueID || entity == "Lease")
    }

    @Test func `an object with the ID of another has none of its places`() async throws {
        let (crew, sailors) = try await race.crew(of: 3)
        let error = try await race.save(
            .pinned,
            .objectTrump,
            here: { context in
                context.delete(try context.existingObject(with: sailors[0]))
                try context.insert(entity: "Sailor", id: sailors[0].uniqueID)
            },
            elsewhere: { $0.delete(try $0.existingObject(with: sailors[1])) }
        )
        let failure = try #require((error as? ValidationError)?.failures.first)
        #expect(failure.objectID == crew && failure.message == "has 1 object, fewer than 2")
    }

    // MARK: Counts

    @Test func `least and greatest numbers of objects are those of the newest state`() async throws {
        let (crew, sailors) = try await race.crew(of: 3)
        let least = try await race.save(
            .pinned,
            .objectTrump,
            here: { try $0.existingObject(with: sailors[0]).setValue(.null, forKey: "crew") },
            elsewhere: { $0.delete(try $0.existingObject(with: sailors[1])) }
        )
        let few = try #require((least as? ValidationError)?.failures.first)
        #expect(few.objectID == crew && few.rule == .tooFew && few.message == "has 1 object, fewer than 2")
        let greatest = try await race.save(
            .view,
            .objectTrump,
            here: { context in
                for _ in 0..<2 { try context.insert("Sailor", ["crew": .reference(crew.uniqueID)]) }
            },
            elsewhere: { try $0.insert("Sailor", ["crew": .reference(crew.uniqueID)]) }
        )
        let many = try #require((greatest as? ValidationError)?.failures.first)
        #expect(many.objectID == crew && many.rule == .tooMany && many.message == "has 5 objects, more than 4")
        #expect(try await race.shows("Sailor").count == 3)
    }

    @Test func `a cascade under the lock that takes too many objects is refused`() async throws {
        let (crew, sailors) = try await race.crew(of: 2)
        let firm = try await race.firm()
        let error = try await race.save(
            .pinned,
            .objectTrump,
            here: { $0.delete(try $0.existingObject(with: firm)) },
            elsewhere: { try $0.existingObject(with: sailors[0]).setValue(.reference(firm.uniqueID), forKey: "firm") }
        )
        let failure = try #require((error as? ValidationError)?.failures.first)
        #expect(failure.objectID == crew && failure.rule == .tooFew)
    }

    @Test func `derived attributes count what a cascade under the lock leaves`() async throws {
        let (_, sailors) = try await race.crew(of: 4)
        let firm = try await race.firm()
        let error = try await race.save(
            .view,
            .objectTrump,
            here: { $0.delete(try $0.existingObject(with: firm)) },
            elsewhere: { try $0.existingObject(with: sailors[0]).setValue(.reference(firm.uniqueID), forKey: "firm") }
        )
        #expect(error == nil)
        #expect(try await race.count("Crew", where: "size == 3 AND sailors.@count == 3") == 1)
    }

    // MARK: Conflicts

    @Test(arguments: LateSave.Place.allCases, LateSave.Other.allCases)
    func `a link from the other side is a change of the owner`(
        _ place: LateSave.Place,
        _ other: LateSave.Other
    ) async throws {
        for isDeletion in [true, false] {
            for key in ["guests", "partners", "staff"] {
                let (firm, partner) = (try await race.firm(), try await race.insert("Partner", [:]))
                let error = try await race.save(
                    place,
                    .error,
                    by: other,
                    here: { context in
                        let object = try context.existingObject(with: firm)
                        _ = try object.objectIDs(forKey: key)
                        if isDeletion {
                            context.delete(object)
                        } else {
                            try object.setValue(.string("x"), forKey: "name")
                        }
                    },
                    elsewhere: { context in
                        switch key {
                        case "guests": try context.insert("Guest", ["host": .reference(firm.uniqueID)])
                        case "staff": try context.insert("Person", ["employer": .reference(firm.uniqueID)])
                        default: try context.object(with: partner).link(context.object(with: firm), forKey: "firms")
                        }
                    }
                )
                let conflict = try #require((error as? ConflictError)?.conflicts.first, "\(key) \(isDeletion)")
                #expect(conflict.objectID == firm && conflict.isDeletion == isDeletion)
                #expect(conflict.changedInStore == [key])
                #expect(conflict.changedProperties == (isDeletion ? [] : ["name"]))
            }
        }
    }

    @Test(arguments: [MergePolicy.storeTrump, .rollback])
    func `a policy that prefers the store keeps an owner that was linked elsewhere`(
        _ policy: MergePolicy
    ) async throws {
        let firm = try await race.firm()
        let error = try await race.save(
            .pinned,
            policy,
            here: { $0.delete(try $0.existingObject(with: firm)) },
            elsewhere: { try $0.insert("Person", ["employer": .reference(firm.uniqueID)]) }
        )
        #expect(error == nil)
        #expect(try await race.shows("Firm") == [firm])
        #expect(try await race.shows("Person").count == 1)
    }

    @Test func `links that were merged, or that the context made itself, are no conflict`() async throws {
        let firm = try await race.firm()
        let background = race.container.newBackgroundContext()
        try await background.perform { context in
            context.automaticallyMergesChangesFromParent = true
            context.retainsRegisteredObjects = true
            let object = try context.existingObject(with: firm)
            #expect(try object.objectIDs(forKey: "guests").isEmpty)
            try context.insert("Guest", ["host": .reference(firm.uniqueID)])
            try context.save()
            #expect(try object.objectIDs(forKey: "guests").count == 1)
            try object.setValue(.string("x"), forKey: "name")
        }
        try await race.container.save { _ = try $0.insert("Guest", ["host": .reference(firm.uniqueID)]) }
        try await background.perform { try $0.save() }
        // An object that was deleted before the merge is compared with the merged state.
        await background.perform { $0.delete($0.object(with: firm)) }
        try await race.container.save { _ = try $0.insert("Guest", ["host": .reference(firm.uniqueID)]) }
        await background.perform { _ in }
        try await race.container.save { _ = try $0.insert("Guest", ["host": .reference(firm.uniqueID)]) }
        let error = await background.performAndCatch { context in
            context.automaticallyMergesChangesFromParent = false
            try context.save()
        }
        #expect(error == nil, "the block begins with a merge")
        #expect(try await race.count("Guest", where: "host == NULL") == 4)
    }

    @Test func `a link after the last merge is a conflict for a context that merges by itself`() async throws {
        let firm = try await race.firm()
        let background = race.container.newBackgroundContext()
        try await background.perform { context in
            context.automaticallyMergesChangesFromParent = true
            context.delete(try context.existingObject(with: firm))
        }
        try await race.container.save { _ = try $0.insert("Guest", ["host": .reference(firm.uniqueID)]) }
        await background.perform { $0.automaticallyMergesChangesFromParent = false }
        try await race.container.save { _ = try $0.insert("Guest", ["host": .reference(firm.uniqueID)]) }
        let error = await background.performAndCatch { try $0.save() }
        #expect((error as? ConflictError)?.conflicts.map(\.changedInStore) == [["guests"]])
    }

    @Test(arguments: MergePolicy.allCases)
    func `a key that others gave to an object which the context has changed is taken`(
        _ policy: MergePolicy
    ) async throws {
        let firm = try await race.insert("Firm", ["code": .string("old")])
        let error = try await race.save(
            .pinned,
            policy,
            here: { context in
                try context.existingObject(with: firm).setValue(.string("x"), forKey: "name")
                try context.insert("Firm", ["code": .string("new")])
            },
            elsewhere: { try $0.existingObject(with: firm).setValue(.string("new"), forKey: "code") }
        )
        #expect((error is ConflictError) == (policy == .error), "\(String(describing: error))")
        #expect(try await race.count("Firm", where: "code == 'new'") == 1)
    }

    // MARK: Replaced objects

    @Test(arguments: LateSave.Place.allCases)
    func `an object that overwrite replaces is deleted with its delete rules`(_ place: LateSave.Place) async throws {
        let (firm, person, guest) = try await race.staffed("A")
        let error = try await race.save(
            place,
            .overwrite,
            here: { try $0.insert("Firm", ["code": .string("A")]) },
            elsewhere: { try $0.insert("Pen", ["owner": .reference(person.uniqueID)]) }
        )
        #expect(error == nil)
        #expect(try await race.shows("Firm").count == 1)
        #expect(try await race.shows("Firm").contains(firm) == false)
        #expect(try await race.shows("Person").isEmpty)
        #expect(try await race.shows("Pen").isEmpty)
        #expect(try race.lines().contains { $0.contains("\"\(guest.uniqueID)\"") && $0.contains("\"host\":null") })
    }

    @Test func `Deny and mandatory references forbid the replacement`() async throws {
        for entity in ["Lock", "Lease"] {
            let firm = try await race.insert("Firm", ["code": .string(entity)])
            let key = entity == "Lock" ? "firm" : "tenant"
            _ = try await race.insert(entity, [key: .reference(firm.uniqueID)])
            let error = try await race.save(
                .free,
                .overwrite,
                here: { try $0.insert("Firm", ["code": .string(entity)]) },
                elsewhere: { _ in }
            )
            let failure = try #require((error as? ValidationError)?.failures.first)
            #expect(failure.rule == (entity == "Lock" ? .denied : .missing))
            #expect(try await race.shows("Firm").contains(firm))
        }
    }

    @Test func `members that the save moves to the new object stay`() async throws {
        let (_, person, _) = try await race.staffed("A")
        let error = try await race.save(
            .view,
            .overwrite,
            here: { context in
                let new = try context.insert("Firm", ["code": .string("A")])
                try context.existingObject(with: person).setValue(.reference(new.uniqueID), forKey: "employer")
            },
            elsewhere: { _ in }
        )
        #expect(error == nil)
        #expect(try await race.shows("Person") == [person])
    }

    @Test func `a batch that replaces an object follows its delete rules`() async throws {
        _ = try await race.staffed("A")
        try await race.container.execute(
            BatchInsertRequest("Firm", rows: [["code": .string("A")], ["code": .string("B")]]),
            mergePolicy: .overwrite
        )
        #expect(try await race.shows("Firm").count == 2)
        #expect(try await race.shows("Person").isEmpty)
        #expect(try await race.count("Guest", where: "host == NULL") == 1)
        let firm = try await race.insert("Firm", ["code": .string("C")])
        _ = try await race.insert("Lock", ["firm": .reference(firm.uniqueID)])
        await #expect(throws: BatchError.self) {
            try await race.container.execute(
                BatchInsertRequest("Firm", rows: [["code": .string("C")]]),
                mergePolicy: .overwrite
            )
        }
    }

    @Test func `a batch refuses a mandatory reference to an object that does not exist`() async throws {
        let (firm, gone) = (try await race.firm(), UniqueID(high: 1, low: 1))
        func insert(_ target: UniqueID) async throws {
            try await race.container.execute(BatchInsertRequest("Person", rows: [["employer": .reference(target)]]))
        }
        func expectRefusal(_ error: BatchError) throws {
            guard case .noTarget(let id, "employer", let target) = error else { throw error }
            #expect(id.entity == "Person" && target.entity == "Firm" && target.uniqueID == gone)
            #expect("\(error)" == "employer of \(id) is mandatory, and \(target) does not exist: set another object")
        }
        try expectRefusal(try await #require(throws: BatchError.self) { try await insert(gone) })
        try await insert(firm.uniqueID)
        let error = try await #require(throws: BatchError.self) {
            try await race.container.execute(
                BatchUpdateRequest("Person", setting: ["employer": .value(.reference(gone))])
            )
        }
        try expectRefusal(error)
        #expect(try await race.count("Person", where: "employer != NULL") == 1)
    }

    @Test func `a batch does not clear a mandatory reference`() async throws {
        let firm = try await race.firm()
        let lease = try await race.insert("Lease", ["tenant": .reference(firm.uniqueID)])
        await #expect(throws: BatchError.denied(firm, relationship: "leases", by: lease)) {
            try await race.container.execute(BatchDeleteRequest("Firm"))
        }
    }
}

extension BackgroundContext {
    fileprivate func performAndCatch(_ block: @Sendable (ManagedObjectContext) throws -> Void) async -> (any Error)? {
        await perform { context in
            do {
                try block(context)
                return nil
            } catch {
                return error
            }
        }
    }
}
