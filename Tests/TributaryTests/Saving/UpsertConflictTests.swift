import TestSupport
import Testing

@testable import Tributary

/// What a save does with a new object of an upsert by key that others have saved since the upsert.
struct UpsertConflictTests {
    final class Member: ManagedObject {
        override class var entityName: String { "Member" }
    }

    let folder: TemporaryFolder
    let container: PersistentContainer

    /// The teams "red" and "blue" and the skills "a" and "b".
    init() async throws {
        (folder, container) = try await PersistentContainer.open(
            entities: """
                Team:
                  attributes:
                    name: String?
                    size: {type: Integer 32, optional: true, derived: 'members.@count'}
                    total: {type: Double, optional: true, derived: 'members.@sum.pay'}
                  relationships: {members: {to: Member, many: true, inverse: team}}
                Skill:
                  attributes: {name: String?}
                  relationships: {holders: {to: Member, many: true, inverse: skills}}
                Note:
                  attributes: {name: String?}
                  relationships: {about: {to: Member?}}
                Item: {attributes: {name: String?}, relationships: {owner: {to: Member?, inverse: items}}}
                Member:
                  attributes:
                    code: String?
                    name: String?
                    pay: Double?
                    mail: String?
                    visits: {type: Integer 64, optional: true, merge: counter}
                    loud: {type: String, optional: true, derived: 'uppercase:(name)'}
                    teamName: {type: String, optional: true, derived: 'team.name'}
                  unique: [code, mail]
                  relationships:
                    team: {to: Team?, inverse: members}
                    skills: {to: Skill, many: true, inverse: holders}
                    items: {to: Item, many: true, ordered: true, inverse: owner}
                """,
            classes: [Member.self]
        )
        try await container.save { context in
            for name in ["red", "blue"] { try context.insert("Team", ["name": .string(name)]) }
            for name in ["a", "b"] { try context.insert("Skill", ["name": .string(name)]) }
        }
    }

    fileprivate static func named(_ name: String, _ entity: String, in context: ManagedObjectContext) throws
        -> ManagedObject
    {
        try #require(try context.fetch(FetchRequest(entity)).first { try $0.text("name") == name })
    }

    /// Upserts the member "M" with a team, a skill, an item and values.
    @discardableResult
    private static func upsert(
        _ name: String,
        _ team: String,
        _ skill: String,
        _ values: [String: PropertyValue] = [:],
        in context: ManagedObjectContext
    ) throws -> Member {
        let member = try context.upsert(Member.self, identity: .key, by: ["code": .string("M")])
        try member.setValue(.string(name), forKey: "name")
        try member.setValue(.reference(named(team, "Team", in: context).uniqueID), forKey: "team")
        try member.link(named(skill, "Skill", in: context), forKey: "skills")
        let item = try context.insert("Item", ["name": .string(name)])
        try member.insert(item, forKey: "items", at: 0)
        for (key, value) in values { try member.setValue(value, forKey: key) }
        return member
    }

    private func saveElsewhere() async throws {
        try await container.save {
            _ = try Self.upsert("there", "blue", "b", ["pay": .double(5), "visits": .integer(2)], in: $0)
        }
    }

    /// The member, its links and both teams as a context shows them.
    private struct Shown: Hashable {
        let text: String
        let items: [String]

        init(_ context: ManagedObjectContext) throws {
            let members = try context.fetch(FetchRequest<Member>())
            let member = try #require(members.first)
            #expect(members.count == 1)
            func number(_ object: ManagedObject, _ key: String) throws -> String {
                switch try object.value(forKey: key) {
                case .integer(let value): "\(value)"
                case .double(let value): "\(value)"
                default: "-"
                }
            }
            let team = try member.objects(forKey: "team").first?.text("name") ?? "-"
            let skills = try member.objects(forKey: "skills").map { try $0.text("name") }.sorted().joined()
            let teams = try ["red", "blue"].flatMap { name in
                let team = try UpsertConflictTests.named(name, "Team", in: context)
                return [name, try number(team, "size"), try number(team, "total")]
            }
            let own = [
                try member.text("name"), try number(member, "pay"), try number(member, "visits"), team, skills,
                try member.text("loud"), try member.text("teamName"),
            ]
            text = (own + teams).joined(separator: " ")
            items = try member.objects(forKey: "items").map { try $0.text("name") }
        }
    }

    private func stored() async throws -> Shown {
        try await container.performBackgroundTask { try Shown($0) }
    }

    private static let expected: [MergePolicy: String] = [
        .objectTrump: "here 5.0 5 red ab HERE red red 1 5.0 blue 0 0.0",
        .storeTrump: "there 5.0 2 blue ab THERE blue red 0 0.0 blue 1 5.0",
        .overwrite: "here - 5 red ab HERE red red 1 0.0 blue 0 0.0",
        .rollback: "there 5.0 2 blue b THERE blue red 0 0.0 blue 1 5.0",
    ]

    @Test(arguments: MergePolicy.allCases.filter { $0 != .error }, [false, true])
    func `the new object updates the stored one by the policy`(_ policy: MergePolicy, isPinned: Bool) async throws {
        let here = container.newBackgroundContext(mergePolicy: policy)
        try await here.perform { context in
            if isPinned { try context.pin() }
            let member = try Self.upsert("here", "red", "a", ["visits": .integer(3)], in: context)
            try context.insert("Note", ["name": .string("note"), "about": .reference(member.uniqueID)])
        }
        try await saveElsewhere()
        let shown = try await here.perform { context in
            let member = try #require(context.insertedObjects.first { $0 is Member })
            try context.save()
            #expect(member.state == .clean && !context.hasChanges)
            let note = try Self.named("note", "Note", in: context)
            #expect(try note.value(forKey: "about") == .reference(member.uniqueID))
            return try Shown(context)
        }
        #expect(try await stored() == shown)
        #expect(shown.text == Self.expected[policy])
        #expect(shown.items.sorted() == ["here", "there"])
    }

    @MainActor
    @Test(arguments: MergePolicy.allCases.filter { $0 != .error })
    func `an upsert of nothing but the key leaves the stored object as it is`(_ policy: MergePolicy) async throws {
        let view = container.viewContext
        view.mergePolicy = policy
        _ = try view.upsert(Member.self, identity: .key, by: ["code": .string("M")])
        try await saveElsewhere()
        let before = try await stored()
        try view.save()
        #expect(view.insertedObjects.isEmpty && !view.hasChanges)
        let shown = try Shown(view)
        #expect(try await stored() == shown)
        if policy != .overwrite { #expect(shown == before) }
    }

    @Test(arguments: MergePolicy.allCases)
    func `after a failed save the object is new again, and the next save succeeds`(_ policy: MergePolicy) async throws {
        try await container.save { context in
            for code in ["X", "Y"] { try context.insert("Member", ["code": .string(code)]) }
        }
        let here = container.newBackgroundContext(mergePolicy: policy)
        let before = try await here.perform { context in
            try context.pin()
            for other in try context.fetch(FetchRequest<Member>()) {
                try other.setValue(.string("same"), forKey: "mail")
            }
            let member = try Self.upsert("here", "red", "a", ["visits": .integer(3)], in: context)
            return try Self.state(member, in: context)
        }
        try await saveElsewhere()
        try await here.perform { context in
            let member = try #require(context.insertedObjects.first { $0 is Member })
            #expect(throws: ConflictError.self) { try context.save() }
            #expect(member.isInserted && member.hasChanges)
            #expect(try Self.state(member, in: context) == before)
            for other in context.updatedObjects where other is Member {
                try other.setValue(.null, forKey: "mail")
            }
            context.mergePolicy = .objectTrump
            try context.save()
            #expect(try member.text("name") == "here")
        }
    }

    /// All that a context shows of an unsaved member.
    private static func state(_ member: ManagedObject, in context: ManagedObjectContext) throws -> [String] {
        let teams = try ["red", "blue"].map { try named($0, "Team", in: context).objectIDs(forKey: "members").count }
        let skills = try ["a", "b"].map { try named($0, "Skill", in: context).objectIDs(forKey: "holders").count }
        let items = try member.objects(forKey: "items").map { try $0.text("name") }
        let links = try member.objects(forKey: "skills").map { try $0.text("name") }
        return ["\(member.changedValues().sorted { $0.key < $1.key })", "\(teams) \(skills) \(items) \(links)"]
    }

    @Test func `a transaction of several saves that fails makes the object new again`() async throws {
        struct Stop: Error {}
        let here = container.newBackgroundContext(mergePolicy: .storeTrump)
        try await here.perform { context in
            try context.pin()
            try Self.upsert("here", "red", "a", ["visits": .integer(3)], in: context)
        }
        try await saveElsewhere()
        try await here.perform { context in
            let member = try #require(context.insertedObjects.first { $0 is Member })
            let before = try Self.state(member, in: context)
            #expect(throws: Stop.self) {
                try context.performInOneTransaction {
                    try context.save()
                    #expect(try member.text("name") == "there")
                    throw Stop()
                }
            }
            #expect(member.isInserted)
            #expect(try Self.state(member, in: context) == before)
            try context.performInOneTransaction { try context.save() }
            #expect(try member.text("name") == "there")
        }
        #expect(try await stored().text == Self.expected[.storeTrump])
    }

    @MainActor
    @Test func `the save of a parent resolves the conflict of a child's upsert`() async throws {
        let view = container.viewContext
        await container.mergePendingChanges()
        let child = container.newChildOfViewContext(name: "child")
        _ = try await child.save { _ = try Self.upsert("here", "red", "a", ["visits": .integer(3)], in: $0) }
        try await saveElsewhere()
        #expect(view.insertedObjects.contains { $0 is Member })
        try view.save()
        let shown = try Shown(view)
        #expect(try await stored() == shown)
        #expect(shown.text == Self.expected[.objectTrump])
    }

    @Test func `a parent that has the object by now gets only the properties that a child has changed`() async throws {
        let parent = container.newBackgroundContext(mergePolicy: .objectTrump)
        try await parent.perform { context in
            let (child, other) = (context.newChild(), context.newChild())
            try Self.upsert("here", "red", "a", in: child)
            try Self.upsert("there", "blue", "b", ["pay": .double(5), "visits": .integer(5)], in: other)
            try other.save()
            try child.save()
            #expect(context.insertedObjects.filter { $0 is Member }.count == 1)
            try context.save()
        }
        #expect(try await stored().text == Self.expected[.objectTrump])
    }

    @MainActor
    @Test func `an undo after the save does not delete the object of others`() async throws {
        let view = container.viewContext
        await container.mergePendingChanges()
        try Self.upsert("here", "red", "a", in: view)
        try await saveElsewhere()
        try view.save()
        view.undo()
        try view.save()
        #expect(try await container.performBackgroundTask { try $0.count(for: FetchRequest<Member>()) } == 1)
    }

    @Test func `contexts that upsert the same keys at once have one object for each key`() async throws {
        let count = 20
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                let context = container.newBackgroundContext(mergePolicy: worker % 2 == 0 ? .objectTrump : .storeTrump)
                group.addTask {
                    for round in 0..<count {
                        try await context.perform { context in
                            let key: [String: PropertyValue] = ["code": .string("\(round)")]
                            let member = try context.upsert(Member.self, identity: .key, by: key)
                            try member.setValue(.string("\(worker)"), forKey: "name")
                        }
                        await Task.yield()
                        try await context.perform { try $0.save() }
                    }
                }
            }
            try await group.waitForAll()
        }
        let found = try await container.performBackgroundTask { context in
            try context.fetch(FetchRequest<Member>()).map { try $0.text("code") }
        }
        #expect(Set(found).count == count && found.count == count)
    }
}
