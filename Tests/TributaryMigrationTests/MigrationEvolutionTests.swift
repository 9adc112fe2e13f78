import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel
import TributaryStore

/// Random versions of a model with random data by writers of any version.
@Suite struct MigrationEvolutionTests {
    /// The expected state, kept by the numbers of entities and attributes, without a store.
    private struct Expected {
        /// For each object, its entity and the written value of each attribute.
        var objects: [Int: (entity: Int, values: [Int: Int64?])] = [:]
        var deleted: Set<Int> = []
        /// The values that were written to missing objects; they take effect when the objects are inserted.
        var deferred: [Int: [Int: Int64?]] = [:]

        mutating func migrate(from old: [ModelEvolution.Entity], to new: [ModelEvolution.Entity]) {
            let optional = Set(old.flatMap(\.attributes).filter(\.isOptional).map(\.key))
            for attribute in new.flatMap(\.attributes) where !attribute.isOptional && optional.contains(attribute.key) {
                for id in objects.keys where objects[id]?.values[attribute.key] == .some(.none) {
                    guard new.contains(where: { $0.key == objects[id]?.entity }) else { continue }
                    objects[id]?.values[attribute.key] = attribute.defaultValue
                }
            }
        }
    }

    private struct Event {
        var transaction: ForeignTransaction
        var apply: (inout Expected) -> Void
    }

    private func event(
        _ sequence: UInt64,
        _ entities: [ModelEvolution.Entity],
        using random: inout SeededGenerator
    ) -> Event {
        let entity = entities[Int.random(in: entities.indices, using: &random)]
        let id = entity.key * 100 + Int.random(in: 1...4, using: &random)
        var values: [Int: Int64?] = [:]
        var writes: [PropertyWrite] = []
        let isInsert = Int.random(in: 0..<3, using: &random) > 0
        for attribute in entity.attributes where isInsert || Bool.random(using: &random) {
            let number: Int64? =
                Int.random(in: 0..<4, using: &random) == 0 ? nil : Int64.random(in: 0...99, using: &random)
            values[attribute.key] = .some(number)
            let json = number.map { attribute.type.converted(.integer($0)).json } ?? .null
            let isIncrement = attribute.rule == .counter && number != nil && (!isInsert || id.isMultiple(of: 2))
            writes.append(PropertyWrite(name: attribute.name, value: isIncrement ? .increment(number ?? 0) : json))
        }
        let target = entities[0].key * 100 + Int.random(in: 1...5, using: &random)
        var changes: [Change] = []
        if !entity.link.isToMany { writes.append(PropertyWrite(name: entity.link.name, value: .to(target))) }
        let isDeletion = Int.random(in: 0..<12, using: &random) == 0
        if isDeletion {
            changes = [.delete(entity.name, id)]
        } else {
            let operation: Change.Operation = isInsert ? .insert(writes) : .update(writes)
            changes = [Change(entity: entity.name, id: .sample(id), operation: operation)]
            if entity.link.isToMany { changes.append(.link(entity.name, id, entity.link.name, [target])) }
            changes += pairs(entity, id, entities, using: &random)
        }
        let transaction = ForeignTransaction(1, sequence, clock: 200_000_000 + sequence, changes)
        return Event(transaction: transaction) { expected in
            if isDeletion {
                expected.objects[id] = nil
                expected.deferred[id] = nil
                expected.deleted.insert(id)
            } else if isInsert, expected.objects[id] == nil {
                expected.deleted.remove(id)
                let earlier = expected.deferred.removeValue(forKey: id) ?? [:]
                expected.objects[id] = (entity.key, earlier.merging(values) { _, new in new })
            } else if expected.objects[id] != nil {
                expected.objects[id]?.values.merge(values) { _, new in new }
            } else {
                expected.deferred[id, default: [:]].merge(values) { _, new in new }
            }
        }
    }

    /// Links and unlinks of relationships with an inverse, written from either side.
    private func pairs(
        _ entity: ModelEvolution.Entity,
        _ id: Int,
        _ entities: [ModelEvolution.Entity],
        using random: inout SeededGenerator
    ) -> [Change] {
        func number() -> Int { Int.random(in: 1...5, using: &random) }
        func change(_ name: String, _ property: String, _ target: Int) -> Change {
            Int.random(in: 0..<3, using: &random) == 0
                ? .unlink(name, id, property, [target]) : .link(name, id, property, [target])
        }
        var changes: [Change] = []
        if let pair = entity.pair, pair.hasOwn {
            let target = entities[0].key * 100 + number()
            if pair.isToMany {
                changes.append(change(entity.name, pair.name, target))
            } else {
                changes.append(.update(entity.name, id, [pair.name: number() == 1 ? .null : .to(target)]))
            }
        }
        guard entity.key == entities[0].key else { return changes }
        for other in entities {
            guard let pair = other.pair, pair.hasInverse else { continue }
            changes.append(change(entity.name, pair.inverse, other.key * 100 + number()))
        }
        return changes
    }

    @Test func `values are what was written last, and whole stores are equal in the end`() throws {
        var random = SeededGenerator.printingSeed()
        for round in LongProofs.rounds(10) {
            let evolution = ModelEvolution(versions: 5, hasRules: round.isMultiple(of: 2), using: &random)
            let models = try evolution.models()
            let comment: Comment = "seed \(random.seed), round \(round)"
            let events = (1...30).map { sequence in
                let version = Int.random(in: 0..<5, using: &random)
                return event(UInt64(sequence), evolution.versions[version], using: &random)
            }
            let one = try Replica(models[0])
            let other = try Replica(models[0])
            let fresh = try Replica(models[4])
            try run(events, one, models, using: &random)
            try run(events, other, models, using: &random)
            try fresh.apply(events.map(\.transaction))
            for _ in 0..<2 {
                for source in [one, other] {
                    for target in [one, other, fresh] where target !== source {
                        try MigrationStory.send(from: source, to: target)
                    }
                }
            }
            let dumps = try [one, other, fresh].map { try $0.dump().split(separator: "\n").map(String.init) }
            for lines in dumps.dropLast() where lines != dumps[2] {
                let versions = evolution.versions.map { "\($0)" }.joined(separator: "\n")
                Issue.record("\(comment)\n\(difference(lines, dumps[2]))\n\(versions)\n\(list(events))")
                return
            }
            #expect(Set(try [one, other, fresh].map { try $0.digest() }).count == 1, comment)
        }
    }

    @Test func `a store that migrates on the way has the values of a plain model`() throws {
        var random = SeededGenerator.printingSeed()
        for round in LongProofs.rounds(10) {
            let evolution = ModelEvolution(versions: 5, using: &random)
            let models = try evolution.models()
            let comment: Comment = "seed \(random.seed), round \(round)"
            let replica = try Replica(models[0])
            var expected = Expected()
            var sequence: UInt64 = 0
            for version in 0..<5 {
                if version > 0 {
                    try replica.reopen(models[version])
                    expected.migrate(from: evolution.versions[version - 1], to: evolution.versions[version])
                }
                for _ in 0..<8 {
                    sequence += 1
                    // The writers use this version or the preceding one.
                    let words = max(0, version - Int.random(in: 0...1, using: &random))
                    let event = event(sequence, evolution.versions[words], using: &random)
                    try replica.apply(event.transaction)
                    event.apply(&expected)
                }
            }
            for entity in evolution.versions[4] {
                for (id, object) in expected.objects where object.entity == entity.key {
                    let values = try #require(try replica.values(entity.name, .sample(id)), comment)
                    for attribute in entity.attributes {
                        let number = object.values[attribute.key] ?? attribute.defaultValue
                        let value = number.map { attribute.type.converted(.integer($0)) } ?? .null
                        #expect(
                            values[attribute.name] == value,
                            "\(comment), \(entity.name).\(attribute.name) of \(id)"
                        )
                    }
                }
                for id in expected.deleted where id / 100 == entity.key {
                    #expect(try replica.values(entity.name, .sample(id)) == nil, comment)
                }
            }
        }
    }

    private func difference(_ migrated: [String], _ fresh: [String]) -> String {
        let (left, right) = (Set(migrated), Set(fresh))
        return "migrated: \(left.subtracting(right).sorted().joined(separator: "\n"))\nfresh: "
            + right.subtracting(left).sorted().joined(separator: "\n")
    }

    private func list(_ events: [Event]) -> String {
        events.map { "\($0.transaction)" }.joined(separator: "\n")
    }

    /// Applies everything in order, and migrates at random moments.
    private func run(
        _ events: [Event],
        _ replica: Replica,
        _ models: [Model],
        using random: inout SeededGenerator
    ) throws {
        var version = 0
        for event in events {
            if version < 4, Int.random(in: 0..<8, using: &random) == 0 {
                version = Int.random(in: (version + 1)...4, using: &random)
                try replica.reopen(models[version])
            }
            try replica.apply(event.transaction)
        }
        if version < 4 { try replica.reopen(models[4]) }
    }
}
