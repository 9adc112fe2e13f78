import TestSupport
import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// A small world of people, companies and projects with random values, in SQL and in memory.
struct ReadingWorld {
    let store: Store
    let model: Model
    private(set) var rows: [ManagedObjectID: Row] = [:]
    private let folder: TemporaryFolder

    static let names: [String?] = [
        nil, "", "a", "A", "b", "ab", "Ä", "ä", "A\u{308}", "é", "e\u{301}", "straße", "STRASSE", "İ", "a*b", "a?b",
        "x\u{0}y",
        "zebra", "Zebra", "naïve", "日本", "👩‍👩‍👧", "line\nbreak", "100%", "under_score",
    ]

    init(random: inout SeededGenerator) throws {
        folder = try TemporaryFolder("reading")
        model = try ReadingWorld.makeModel()
        store = try Store.open(StoreConfiguration(path: folder.path("store.sqlite"), name: "test", model: model))
        try fill(&random)
        try store.read { reader in
            for entity in model.rootEntities {
                for row in try reader.rows(FetchQuery(entity: entity)) { rows[row.id] = row }
            }
        }
    }

    // MARK: Model

    private static func makeModel() throws -> Model {
        try Model(
            yaml: """
                version: "1"
                entities:
                  Person:
                    attributes:
                      {name: String?, age: Integer 32?, height: Double?, born: Date?, active: Boolean?, \
                wage: Decimal?, code: UUID?, home: URI?, photo: Binary?}
                    relationships:
                      company: {to: Company?, inverse: people}
                      projects: {to: Project, many: true, inverse: members}
                      friends: {to: Person, many: true, inverse: friends}
                      mentor: {to: Person?, inverse: pupils}
                      pupils: {to: Person, many: true, inverse: mentor}
                  Manager: {parent: Person, attributes: {bonus: Integer 64?}}
                  Company:
                    attributes: {title: String?, founded: Date?, size: Integer 64?}
                    relationships:
                      people: {to: Person, many: true, inverse: company}
                      parts: {to: Company, many: true, inverse: whole}
                      whole: {to: Company?, inverse: parts}
                  Project:
                    attributes: {title: String?, budget: Decimal?}
                    relationships: {members: {to: Person, many: true, ordered: true, inverse: projects}}
                """
        )
    }

    // MARK: Values

    static func value(_ type: AttributeType, _ random: inout SeededGenerator) -> PropertyValue {
        if Int.random(in: 0..<5, using: &random) == 0 { return .null }
        switch type {
        case .integer16, .integer32, .integer64:
            return .integer([-1, 0, 1, 2, 3, 1 << 53, (1 << 53) + 1, .max].randomElement(using: &random) ?? 0)
        case .double, .float:
            return .double([-1.5, -0.0, 0, 0.5, 1, 2, 0x1p53, 0x1p63].randomElement(using: &random) ?? 0)
        case .date:
            let dates: [DateValue] = [-1, 0, 0.5, 1_700_000_000, 1_763_683_200]
            return .date(dates.randomElement(using: &random) ?? 0)
        case .boolean: return .boolean(Bool.random(using: &random))
        case .decimal:
            let all = ["-10.5", "-2", "0", "0.1", "0.10000000000000000001", "2", "10", "10.25", "9007199254740993"]
            return .decimal(all.randomElement(using: &random) ?? "0")
        case .uuid: return .uuid(UniqueID(high: 7, low: UInt64.random(in: 0..<4, using: &random)))
        case .uri: return (names.randomElement(using: &random) ?? nil).map { .uri($0) } ?? .null
        case .string: return (names.randomElement(using: &random) ?? nil).map { .string($0) } ?? .null
        default: return .binary([1, 2, UInt8.random(in: 0..<3, using: &random)])
        }
    }

    static func id(_ kind: UInt64, _ number: UInt64) -> UniqueID { UniqueID(high: kind, low: number) }

    static let kinds: [(entity: String, kind: UInt64, count: UInt64)] = [
        ("Company", 1, 6), ("Project", 2, 6), ("Person", 3, 20), ("Manager", 3, 8),
    ]

    private func fill(_ random: inout SeededGenerator) throws {
        var values: [(entity: Entity, id: UniqueID, propertyIndexes: [PropertyValue])] = []
        var next: [UInt64: UInt64] = [:]
        for (name, kind, count) in ReadingWorld.kinds {
            guard let entity = model.entity(named: name) else { continue }
            for _ in 0..<count {
                let number = next[kind, default: 0]
                next[kind] = number + 1
                let propertyIndexes = entity.properties.map { property -> PropertyValue in
                    switch property {
                    case .attribute(let attribute): return ReadingWorld.value(attribute.type, &random)
                    case .relationship(let relationship, .column):
                        guard Int.random(in: 0..<4, using: &random) > 0,
                            let target = ReadingWorld.target(relationship.destination, &random)
                        else { return .null }
                        return .reference(target)
                    case .relationship: return .null
                    }
                }
                values.append((entity, ReadingWorld.id(kind, number), propertyIndexes))
            }
        }
        var pairs: [(link: String, source: UniqueID, target: UniqueID)] = []
        for link in store.context.layout.links {
            let (source, target) = (kind(ofTable: link.source), kind(ofTable: link.target))
            for _ in 0..<30 {
                var ends = (
                    ReadingWorld.id(source.0, UInt64.random(in: 0..<source.1, using: &random)),
                    ReadingWorld.id(target.0, UInt64.random(in: 0..<target.1, using: &random))
                )
                if link.isSymmetric, ends.1 < ends.0 { ends = (ends.1, ends.0) }
                pairs.append((link.name, ends.0, ends.1))
            }
        }
        try write(values, pairs, &random)
    }

    private static func target(_ entity: String, _ random: inout SeededGenerator) -> UniqueID? {
        let kind: (UInt64, UInt64) = entity == "Company" ? (1, 6) : entity == "Project" ? (2, 6) : (3, 28)
        return id(kind.0, UInt64.random(in: 0..<kind.1, using: &random))
    }

    private func kind(ofTable index: Int) -> (UInt64, UInt64) {
        switch store.context.layout.tables[index].name {
        case "Company": (1, 6)
        case "Project": (2, 6)
        default: (3, 28)
        }
    }

    /// Writes with plain SQL, so that the tests exercise only reading.
    private func write(
        _ values: [(entity: Entity, id: UniqueID, propertyIndexes: [PropertyValue])],
        _ pairs: [(link: String, source: UniqueID, target: UniqueID)],
        _ random: inout SeededGenerator
    ) throws {
        let layout = store.context.layout
        let positions = pairs.map { _ in ["a", "b", "c"].randomElement(using: &random) ?? "a" }
        try store.write { transaction in
            let database = transaction.reader.database
            for (entity, id, propertyIndexes) in values {
                guard let place = layout.entity(named: entity.name) else { continue }
                let table = layout.tables[place.table]
                var names =
                    ["_id", "_revision", "_version", "_exceptions"] + (table.hasEntityColumn ? ["_entity"] : [])
                var bound: [PropertyValue] =
                    [.reference(id), .integer(1), .integer(1), .binary([])]
                    + (table.hasEntityColumn ? [.integer(place.code)] : [])
                for (propertyIndex, column) in place.propertyColumns.enumerated() {
                    guard let column else { continue }
                    names.append(table.columns[column].quotedName)
                    bound.append(propertyIndexes[propertyIndex])
                }
                let marks = Array(repeating: "?", count: names.count).joined(separator: ", ")
                let sql = "INSERT INTO \(table.quotedName)(\(names.joined(separator: ", "))) VALUES (\(marks))"
                let statement = try BoundStatement(database, unkept: sql)
                for (index, value) in bound.enumerated() { statement.bind(Int32(index + 1), value) }
                try statement.run()
            }
            for (pair, position) in zip(pairs, positions) {
                let link = layout.links.first { $0.name == pair.link }
                let ordered = link?.isOrdered == true
                let statement = try BoundStatement(
                    database,
                    """
                    INSERT OR IGNORE INTO \(quoted(pair.link))(_source, _target, _version\(ordered ? ", _position" : ""))
                    VALUES (?, ?, 1\(ordered ? ", ?" : ""))
                    """
                )
                statement.bind(1, pair.source)
                statement.bind(2, pair.target)
                if ordered { statement.bind(3, position) }
                try statement.run()
            }
        }
    }
}
