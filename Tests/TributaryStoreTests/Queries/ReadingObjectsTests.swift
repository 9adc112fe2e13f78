import GRDB
import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel

@testable import TributaryStore

struct ReadingObjectsTests {
    @Test func rowsHaveValuesBySlot() throws {
        var random = SeededGenerator(seed: 7)
        let world = try ReadingWorld(random: &random)
        let manager = try #require(world.model.entity(named: "Manager"))
        try world.store.read { reader in
            let row = try #require(try reader.rows(FetchQuery(entity: manager)).first)
            #expect(row.entity.name == "Manager")
            #expect(row.id.rootEntity == "Person")
            #expect(row.values.count == manager.properties.count)
            for (value, property) in zip(row.values, manager.properties) {
                if case .relationship(let relationship, _) = property, relationship.isToMany { #expect(value.isNull) }
            }
            let again = try reader.row(row.id.uniqueID, rootEntity: "Person")
            #expect(again?.values == row.values)
            #expect(again?.revision == 1)
            #expect(try reader.row(UniqueID(high: 99, low: 99), rootEntity: "Person") == nil)
            #expect(try reader.row(row.id.uniqueID, rootEntity: "Nobody") == nil)
        }
    }

    /// The column of a sub-entity's property may have the name of another property's column, too.
    @Test func unlikePropertiesOfOneNameHaveColumnsOfTheirOwn() throws {
        let replica = try Replica(
            Model(
                yaml: """
                    version: "1"
                    entities:
                      Item: {attributes: {b_size: String?, B_size_2: String?}}
                      A: {parent: Item, attributes: {size: Integer 64?}}
                      B: {parent: Item, attributes: {size: String?}}
                    """
            )
        )
        try replica.commit(
            .insert("A", 1, ["size": 7]),
            .insert("B", 2, ["size": "L", "b_size": "x", "B_size_2": "y"])
        )
        #expect(try replica.values("A", .sample(1)) == ["size": .integer(7), "b_size": .null, "B_size_2": .null])
        #expect(
            try replica.values("B", .sample(2)) == [
                "size": .string("L"), "b_size": .string("x"), "B_size_2": .string("y"),
            ]
        )
    }

    @Test func valuesOfAllTypesComeBackAsTheyWere() throws {
        let values: [(AttributeType, [PropertyValue])] = [
            (.integer64, [.integer(.min), .integer(.max)]), (.boolean, [.boolean(true), .boolean(false)]),
            (.double, [.double(1), .double(-0.5), .double(.greatestFiniteMagnitude)]),
            (.date, [.date(1), .date(-0.25)]),
            (.string, [.string(""), .string("x\u{0}y"), .string("A\u{308}")]), (.uri, [.uri("http://a/b")]),
            (.decimal, [.decimal("0.10000000000000000001")]), (.composite, [.composite("{\"a\":1}")]),
            (.uuid, [.uuid(UniqueID(high: .max, low: 0))]),
            (
                .binary,
                [.binary([]), .binary([0, 255]), .blob(sha256: String(repeating: "a", count: 64), size: 70_000)]
            ),
        ]
        let database = try DatabaseQueue()
        try database.write { database in
            for (type, all) in values {
                let column = ColumnLayout(
                    property: "value",
                    name: "value",
                    kind: .attribute(type, .latest),
                    definition: ""
                )
                for value in all {
                    let statement = try BoundStatement(database, "SELECT ?")
                    statement.bind(1, value)
                    #expect(try statement.step())
                    #expect(column.value(in: statement, at: 0) == value)
                    statement.reset()
                }
            }
        }
    }

    @Test func relatedObjectsComeFromBothEnds() throws {
        var random = SeededGenerator(seed: 11)
        let world = try ReadingWorld(random: &random)
        let layout = world.store.context.layout
        var checked = 0
        try world.store.read { reader in
            for row in world.rows.values {
                for (propertyIndex, property) in row.entity.properties.enumerated() {
                    guard let relationship = property.relationship, let name = relationship.inverse else { continue }
                    let targets = try reader.related(
                        to: row.id.uniqueID,
                        entity: row.entity,
                        propertyIndex: propertyIndex
                    )
                    #expect(Set(targets).count == targets.count)
                    checked += targets.count
                    for target in targets {
                        let other = try #require(layout.entity(named: target.entity)?.entity)
                        let inverse = try #require(other.propertyIndex(named: name))
                        let back = try reader.related(to: target.uniqueID, entity: other, propertyIndex: inverse)
                        #expect(back.contains(row.id), "\(row.id) \(relationship.name) \(target)")
                    }
                }
            }
        }
        #expect(checked > 50, "\(checked) related objects")
    }

    @Test func orderedRelationshipsComeInTheirOrder() throws {
        var random = SeededGenerator(seed: 12)
        let world = try ReadingWorld(random: &random)
        let project = try #require(world.model.entity(named: "Project"))
        let propertyIndex = try #require(project.propertyIndex(named: "members"))
        try world.store.read { reader in
            var checked = 0
            for row in try reader.rows(FetchQuery(entity: project)) {
                let members = try reader.related(to: row.id.uniqueID, entity: project, propertyIndex: propertyIndex)
                    .map(\.uniqueID)
                let link = try #require(world.store.context.layout.links.first { $0.isOrdered })
                let isSource = link.sourceProperty == "members"
                let sql = """
                    SELECT \(isSource ? "_target" : "_source") FROM \(link.quotedName)
                    WHERE \(isSource ? "_source" : "_target") = ? ORDER BY _position, 1
                    """
                let statement = try BoundStatement(reader.database, unkept: sql)
                statement.bind(1, row.id.uniqueID)
                var expected: [UniqueID] = []
                try statement.forEach { if let id = $0.id(0) { expected.append(id) } }
                #expect(members == expected)
                checked += expected.count
            }
            #expect(checked > 5)
        }
    }

    @Test func aThousandTermsAndAThousandValuesAreNoTrouble() throws {
        var random = SeededGenerator(seed: 13)
        let world = try ReadingWorld(random: &random)
        let person = try #require(world.model.entity(named: "Person"))
        let terms = (0..<3000).map { number in
            ObjectPredicate.comparison(.init(.keyPath(["age"]), .notEqual, .constant(.integer(Int64(number) + 10))))
        }
        let list = ObjectPredicate.Expression.list((0..<3000).map { .constant(.integer(Int64($0))) })
        try world.store.read { reader in
            let all = try reader.count(
                FetchQuery(
                    entity: person,
                    predicate: .comparison(.init(.keyPath(["age"]), .notEqual, .constant(.null)))
                )
            )
            #expect(try reader.count(FetchQuery(entity: person, predicate: .and(terms))) == all)
            _ = try reader.count(
                FetchQuery(entity: person, predicate: .comparison(.init(.keyPath(["age"]), .isIn, list)))
            )
            let many = ObjectPredicate.Expression.list((0..<40_000).map { .constant(.integer(Int64($0))) })
            let within = ObjectPredicate.and([
                .comparison(.init(.keyPath(["age"]), .greaterOrEqual, .constant(.integer(0)))),
                .comparison(.init(.keyPath(["age"]), .less, .constant(.integer(40_000)))),
            ])
            #expect(
                try reader.count(
                    FetchQuery(entity: person, predicate: .comparison(.init(.keyPath(["age"]), .isIn, many)))
                ) == reader.count(FetchQuery(entity: person, predicate: within))
            )
        }
    }

    @Test func aPathThatLeadsNowhereSaysWhere() throws {
        var random = SeededGenerator(seed: 14)
        let world = try ReadingWorld(random: &random)
        let person = try #require(world.model.entity(named: "Person"))
        let predicate = ObjectPredicate.comparison(.init(.keyPath(["shoe"]), .equal, .constant(.integer(1))))
        #expect(throws: ObjectPredicateError.self) {
            try world.store.read { try $0.count(FetchQuery(entity: person, predicate: predicate)) }
        }
    }
}
