import TestSupport
import Testing
import TributaryStore

@testable import Tributary

/// Pairs of deleted objects whose delete rule does not take them apart: undo brings them back all the same.
struct UndoPairTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("pairs") }

    private func open(
        _ rule: DeleteRule,
        back: DeleteRule = .nullify,
        isOrdered: Bool = false
    ) async throws -> PersistentContainer {
        let model = try Model(
            entities: """
                Team:
                  relationships:
                    tags: {to: Tag, many: true, ordered: \(isOrdered), inverse: teams, delete: \(rule.rawValue)}
                Tag: {relationships: {teams: {to: Team, many: true, inverse: tags, delete: \(back.rawValue)}}}
                """
        )
        return try await PersistentContainer.open(folder, model: model)
    }

    /// A team with three tags, the last of which another team has as well; saved.
    private func filled(_ context: ManagedObjectContext) throws -> (team: ManagedObject, tags: [ManagedObject]) {
        let team = try context.insert(entity: "Team")
        let other = try context.insert(entity: "Team")
        let tags = try (0..<3).map { _ in try context.insert(entity: "Tag") }
        for tag in tags { try team.link(tag, forKey: "tags") }
        try other.link(tags[2], forKey: "tags")
        try context.save()
        context.undoStack = UndoStack()
        return (team, tags)
    }

    private func ids(_ object: ManagedObject, _ key: String) throws -> [ManagedObjectID] {
        try object.objects(forKey: key).map(\.objectID)
    }

    private func expectWhole(
        _ team: ManagedObject,
        _ tags: [ManagedObject],
        isOrdered: Bool = false,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let found = try ids(team, "tags")
        if isOrdered {
            #expect(found == tags.map(\.objectID), sourceLocation: location)
        } else {
            #expect(Set(found) == Set(tags.map(\.objectID)), sourceLocation: location)
        }
        for (tag, count) in zip(tags, [1, 1, 2]) {
            let teams = try ids(tag, "teams")
            #expect(teams.count == count && teams.contains(team.objectID), sourceLocation: location)
        }
    }

    @Test(arguments: [DeleteRule.nullify, .cascade, .noAction], [false, true])
    func undoAfterASaveBringsThePairsBack(_ rule: DeleteRule, isOrdered: Bool) async throws {
        let container = try await open(rule, isOrdered: isOrdered)
        try await container.performBackgroundTask { context in
            let (team, tags) = try filled(context)
            context.delete(team)
            try context.save()
            let left = rule == .cascade ? 0 : 3
            #expect(try context.count(for: FetchRequest("Tag")) == left)
            for tag in tags where tag.state != .gone {
                #expect(try ids(tag, "teams").contains(team.objectID) == false)
            }
            context.undo()
            try expectWhole(team, tags, isOrdered: isOrdered)
            try context.save()
            context.refreshAllObjects()
            try expectWhole(team, tags, isOrdered: isOrdered)

            // Undo and redo once more.
            context.redo()
            try context.save()
            #expect(try context.count(for: FetchRequest("Team")) == 1)
            #expect(try context.count(for: FetchRequest("Tag")) == left)
            context.undo()
            try context.save()
            context.refreshAllObjects()
            try expectWhole(team, tags, isOrdered: isOrdered)
        }
    }

    @Test(arguments: [DeleteRule.nullify, .noAction, .deny])
    func undoBeforeASaveLeavesNoChange(_ rule: DeleteRule) async throws {
        let container = try await open(rule)
        try await container.performBackgroundTask { context in
            let (team, tags) = try filled(context)
            context.delete(team)
            context.processPendingChanges()
            context.undo()
            try expectWhole(team, tags)
            #expect(!context.hasChanges)
            try context.save()
            context.refreshAllObjects()
            try expectWhole(team, tags)
        }
        #expect(try container.fetchHistory().count == 1)
    }

    @Test func aDenialThatIsLiftedIsTakenBackWhole() async throws {
        let container = try await open(.deny, back: .deny)
        try await container.performBackgroundTask { context in
            let (team, tags) = try filled(context)
            let other = try #require(try context.fetch(FetchRequest("Team")).first { $0 !== team })
            for object in [team, other] + tags { context.delete(object) }
            try context.save()
            context.undo()
            try context.save()
            context.refreshAllObjects()
            try expectWhole(team, tags)
            #expect(try ids(other, "tags") == [tags[2].objectID])
        }
    }
}
