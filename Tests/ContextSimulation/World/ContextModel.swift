import TributaryChanges
import TributaryModel

/// The model of the simulated store: shelves with items, and tags and labels of items, with every kind of property.
///
/// An object is a number. The number decides the entity and the UUID, so that a step can name an object that exists in
/// one context only.
package enum ContextModel {
    /// The delete rules of one schedule.
    package struct Rules: Hashable, Sendable {
        package var items = "nullify"
        package var tagged = "nullify"
        /// Whether an item must have a maker.
        package var isMakerMandatory = false
        /// The least number of items of a tag that has any.
        package var leastTagged = 0

        package init() {}
    }

    enum Merge { case latest, counter, max, min }

    enum Kind {
        case attribute(Merge, default: PropertyValue)
        case toOne(to: Int, inverse: Int)
        /// A to-one relationship with a to-one inverse: a target has one owner.
        case claim(to: Int, inverse: Int)
        /// The owner of a claim.
        case owner(of: Int, claim: Int)
        /// The objects whose to-one relationship, the inverse, has this object.
        case toMany(to: Int, inverse: Int)
        /// One side of the many-to-many relationship.
        case pairs(to: Int)
    }

    struct Property {
        let name: String
        let kind: Kind

        init(_ name: String, _ kind: Kind) { (self.name, self.kind) = (name, kind) }
    }

    struct Entity {
        let name: String
        let properties: [Property]

        func index(_ name: String) -> Int? { properties.firstIndex { $0.name == name } }
    }

    static let item = 0
    static let shelf = 1
    static let tag = 2
    static let label = 3

    static let entities = [
        Entity(
            name: "Item",
            properties: [
                Property("name", .attribute(.latest, default: .null)),
                Property("colour", .attribute(.latest, default: .string("red"))),
                Property("stock", .attribute(.counter, default: .integer(10))),
                Property("weight", .attribute(.counter, default: .double(0.5))),
                Property("shelf", .toOne(to: shelf, inverse: 1)),
                Property("tags", .pairs(to: tag)),
                Property("maker", .toOne(to: shelf, inverse: 2)),
                Property("badge", .claim(to: tag, inverse: 2)),
                Property("place", .toOne(to: shelf, inverse: 3)),
                Property("label", .toOne(to: label, inverse: 3)),
                Property("peak", .attribute(.max, default: .null)),
                Property("first", .attribute(.min, default: .null)),
                Property("seen", .attribute(.latest, default: .null)),
                Property("spot", .attribute(.latest, default: .null)),
                Property("photo", .attribute(.latest, default: .null)),
            ]
        ),
        Entity(
            name: "Shelf",
            properties: [
                Property("name", .attribute(.latest, default: .null)),
                Property("items", .toMany(to: item, inverse: 4)),
                Property("made", .toMany(to: item, inverse: 6)),
                Property("row", .toMany(to: item, inverse: 8)),
            ]
        ),
        Entity(
            name: "Tag",
            properties: [
                Property("name", .attribute(.latest, default: .null)),
                Property("items", .pairs(to: item)),
                Property("bearer", .owner(of: item, claim: 7)),
            ]
        ),
        Entity(
            name: "Label",
            properties: [
                Property("name", .attribute(.latest, default: .null)),
                Property("code", .attribute(.latest, default: .null)),
                Property("hits", .attribute(.counter, default: .integer(0))),
                Property("items", .toMany(to: item, inverse: 9)),
            ]
        ),
    ]

    static func model(_ rules: Rules) throws -> Model {
        let least = rules.leastTagged > 0 ? ", min: \(rules.leastTagged)" : ""
        return try Model(
            yaml: """
                version: "1"
                entities:
                  Item:
                    attributes:
                      name: String?
                      colour: {type: String, optional: true, default: red}
                      stock: {type: Integer 64, optional: true, merge: counter, default: 10}
                      weight: {type: Double, optional: true, merge: counter, default: 0.5}
                      peak: {type: Integer 64, optional: true, merge: max}
                      first: {type: Date, optional: true, merge: min}
                      seen: Date?
                      spot: {composite: Spot, optional: true}
                      photo: {type: Binary, optional: true, external: true}
                    relationships:
                      shelf: {to: Shelf?, inverse: items}
                      maker: {to: Shelf, optional: \(!rules.isMakerMandatory), inverse: made}
                      badge: {to: Tag?, inverse: bearer, delete: nullify}
                      place: {to: Shelf?, inverse: row, delete: nullify}
                      label: {to: Label?, inverse: items, delete: nullify}
                      tags: {to: Tag, many: true, optional: true, inverse: items, delete: nullify}
                  Shelf:
                    attributes: {name: String?}
                    relationships:
                      items: {to: Item, many: true, optional: true, inverse: shelf, delete: \(word(rules.items))}
                      made: {to: Item, many: true, optional: true, inverse: maker, delete: nullify}
                      row: {to: Item, many: true, optional: true, ordered: true, inverse: place, delete: nullify}
                  Tag:
                    attributes: {name: String?}
                    relationships:
                      items:
                        {to: Item, many: true, optional: true, inverse: tags, delete: \(word(rules.tagged))\(least)}
                      bearer: {to: Item?, inverse: badge, delete: nullify}
                  Label:
                    attributes:
                      name: String?
                      code: String?
                      hits: {type: Integer 64, optional: true, merge: counter, default: 0}
                    relationships:
                      items: {to: Item, many: true, optional: true, inverse: label, delete: nullify}
                    unique: [code]
                composites:
                  Spot: {aisle: String, bay: Integer 32}

                """
        )
    }

    /// The delete rule of a to-many relationship.
    static func rule(_ entity: Int, _ property: Int, _ rules: Rules) -> String {
        switch (entity, property) {
        case (shelf, 1): rules.items
        case (tag, 1): rules.tagged
        default: "nullify"
        }
    }

    static let itemName = 0
    static let colour = 1
    static let stock = 2
    static let maker = 6
    static let badge = 7
    static let code = 1
    static let tagged = 1
    static let row = 3
    static let place = 8

    private static func word(_ rule: String) -> String { rule == "none" ? "No Action" : rule }

    /// A composite of which the number decides the bay.
    static func spot(_ number: Int) -> PropertyValue { .composite(#"{"aisle":"a","bay":\#(number % 5)}"#) }

    /// A binary of which the number decides the count of bytes; every second one is a file beside the store.
    static func photo(_ number: Int) -> PropertyValue {
        let limit = number % 2 == 0 ? 0 : 128 << 10
        return .binary([UInt8](repeating: UInt8(truncatingIfNeeded: number), count: number + limit))
    }

    // MARK: Objects

    static func properties(_ object: Int) -> [Property] { entities[entity(of: object)].properties }

    /// The first label: its number is beyond those of other objects.
    static let firstLabel = 1_000

    static func entity(of object: Int) -> Int {
        object >= firstLabel ? label : object % 4 == 3 ? tag : object % 4 == 2 ? shelf : item
    }

    static func id(_ object: Int) -> UniqueID { UniqueID(high: 0x1000, low: UInt64(object + 1)) }

    static func object(_ id: UniqueID) -> Int { Int(id.low) - 1 }

    static func name(_ object: Int) -> String { "\(entities[entity(of: object)].name)-\(object)" }

    static func property(_ object: Int, _ name: String) -> Int? { entities[entity(of: object)].index(name) }

    static func text(_ value: PropertyValue) -> String {
        switch value {
        case .null: "-"
        case .integer(let number): "\(number)"
        case .double(let number): "\(number)"
        case .string(let text): text
        case .reference(let id): name(object(id))
        case .binary(let bytes): "\(bytes.count) bytes"
        default: text(value.json)
        }
    }

    static func text(_ value: JSONValue) -> String {
        if case .string(let text) = value { text } else { String(decoding: value.canonicalBytes, as: UTF8.self) }
    }

    /// Whether the property keeps its greatest or least value.
    static func isExtreme(_ cell: Cell) -> Bool {
        switch properties(cell.object)[cell.property].kind {
        case .attribute(.max, _), .attribute(.min, _): true
        default: false
        }
    }

    /// The value of a property after a write of the value on top of another one.
    static func joined(_ value: PropertyValue, over known: PropertyValue, _ cell: Cell) -> PropertyValue {
        guard case .attribute(let merge, _) = properties(cell.object)[cell.property].kind else { return value }
        let isGreater: Bool
        switch (value, known) {
        case (.null, _) where merge == .max || merge == .min: return known
        case (.integer(let value), .integer(let known)): isGreater = value > known
        case (.date(let value), .date(let known)):
            isGreater = value.secondsSinceReferenceDate > known.secondsSinceReferenceDate
        default: return value
        }
        switch merge {
        case .max: return isGreater ? value : known
        case .min: return isGreater ? known : value
        case .latest, .counter: return value
        }
    }
}
