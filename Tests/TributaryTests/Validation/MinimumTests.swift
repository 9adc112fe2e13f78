import Foundation
import TestSupport
import Testing

@testable import Tributary

/// The least number of objects of a to-many relationship: 0 unless the model gives one, whether it is optional or not.
struct MinimumTests {
    static let bs = ToMany<ManagedObject>("bs")

    /// The relationship `bs` of A in each way that a store can keep it, and its inverse.
    static let kinds = [
        ("{to: B, many: true, inverse: a", "{a: {to: A?, inverse: bs}}"),
        ("{to: B, many: true, ordered: true, inverse: a", "{a: {to: A?, inverse: bs}}"),
        ("{to: B, many: true, inverse: a", "{a: {to: A, many: true, inverse: bs}}"), ("{to: B, many: true", "{}"),
    ]

    private func open(_ kind: (String, String), _ rule: String) async throws -> PersistentContainer {
        let model = try Model(
            yaml: """
                entities:
                  A: {attributes: {name: String?}, relationships: {bs: \(kind.0), \(rule)}}}
                  B: {attributes: {name: String?}, relationships: \(kind.1)}
                """
        )
        return try await PersistentContainer(name: "minimum", model: model, store: .memory)
    }

    /// The failures of an A with this many objects, as `property=rule`.
    private func failures(_ container: PersistentContainer, count: Int) async throws -> [String] {
        try await container.performBackgroundTask { context in
            let a = try context.insert(entity: "A")
            for _ in 0..<count { a.add(try context.insert(entity: "B"), to: Self.bs) }
            do {
                try context.save()
                return []
            } catch let error as ValidationError {
                return error.failures.map { "\($0.property ?? "")=\($0.rule)" }
            }
        }
    }

    @Test(arguments: kinds)
    func aMandatoryRelationshipWithoutAMinimumMayBeEmpty(_ kind: (String, String)) async throws {
        let container = try await open(kind, "optional: false")
        #expect(try await failures(container, count: 0) == [])
        #expect(try await failures(container, count: 2) == [])
        try await container.performBackgroundTask { context in
            for object in try context.fetch(FetchRequest("A")) { object[Self.bs] = [] }
            try context.save()
            _ = try context.execute(BatchInsertRequest("A", rows: [["name": .string("batch")]]))
            #expect(try context.count(for: FetchRequest("A")) == 3)
        }
        try await container.close()
    }

    @Test(arguments: kinds)
    func aMinimumHoldsUnlessAnOptionalRelationshipIsEmpty(_ kind: (String, String)) async throws {
        let mandatory = try await open(kind, "optional: false, min: 2")
        #expect(try await failures(mandatory, count: 0) == ["bs=missing"])
        #expect(try await failures(mandatory, count: 1) == ["bs=tooFew"])
        #expect(try await failures(mandatory, count: 2) == [])
        try await mandatory.close()
        let optional = try await open(kind, "optional: true, min: 2")
        #expect(try await failures(optional, count: 0) == [])
        #expect(try await failures(optional, count: 1) == ["bs=tooFew"])
        try await optional.close()
    }

    /// The parent links the objects after the child has deleted one of them.
    @Test(arguments: kinds.dropLast())
    func aDeletionOfAChildLeavesTooFew(_ kind: (String, String)) async throws {
        let container = try await open(kind, "optional: true, min: 2")
        try await container.performBackgroundTask { context in
            let a = try context.insert(entity: "A")
            let members = try (0..<2).map { _ in try context.insert(entity: "B") }
            try context.save()
            let child = context.newChild()
            child.delete(try child.existingObject(with: members[0].objectID))
            for member in members { a.add(member, to: Self.bs) }
            let error = try #require(throws: ValidationError.self) { try child.save() }
            #expect(error.failures.map(\.rule) == [.tooFew])
            a.add(try context.insert(entity: "B"), to: Self.bs)
            try child.save()
            try context.save()
            #expect(a[Self.bs].count == 2)
        }
        try await container.close()
    }

    @Test(.enabled(if: PublishedModels.folder != nil, "needs ../shared/models or TRIBUTARY_PUBLISHED_MODELS"))
    func newObjectsOfPublishedModelsNeedNoObjectsInToManyRelationshipsWithoutAMinimum() async throws {
        let folder = try #require(PublishedModels.folder)
        var count = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.hasSuffix(".xml") {
            // Many published models leave their to-many relationships mandatory.
            let xml = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
            let model = try Model(xml: xml.replacing(#"optional="YES" toMany="#, with: "toMany="), file: name)
            let container = try await PersistentContainer(name: "x", model: model, store: .memory)
            count += try await container.performBackgroundTask { context in
                var checked = 0
                for entity in model.entities where !entity.isAbstract {
                    let object = try context.insert(entity: entity.name)
                    let toMany = entity.relationships.filter { $0.isToMany && $0.minimumCount == 0 }
                    checked += toMany.count { !$0.isOptional }
                    do {
                        try object.validateForInsert()
                    } catch let error as ValidationError {
                        let refused = Set(error.failures.compactMap(\.property))
                        #expect(refused.isDisjoint(with: toMany.map(\.name)), "\(name): \(error)")
                    }
                }
                return checked
            }
            try await container.close()
        }
        #expect(count > 10)
    }
}
