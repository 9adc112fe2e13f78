import TributaryModel

struct RelationshipJoin {
    private enum Kind {
        case register(column: String)
        case inverse(column: String, order: String?)
        case link(table: String, near: String, far: String, isOrdered: Bool)
        /// The relationship is its own inverse; its pairs are read from both ends.
        case symmetric(table: String, isOrdered: Bool)
    }

    let target: TableLayout
    private let owner: TableLayout
    private let kind: Kind
    private let codes: [Int64]?

    init?(_ relationship: Relationship, in entity: EntityLayout, layout: StoreModel) {
        guard let propertyIndex = entity.entity.propertyIndex(named: relationship.name),
            let destination = layout.entity(named: relationship.destination)
        else { return nil }
        target = layout.tables[destination.table]
        owner = layout.tables[entity.table]
        codes =
            destination.entity.parent == nil
            ? nil : layout.codes(of: destination.entity, includesSubentities: true)
        switch entity.places[propertyIndex] {
        case .column(let column), .inverseColumn(let column, _, _):
            kind = .register(column: owner.columns[column].quotedName)
        case .inverse(let table, let column, let order):
            guard table == target.index else { return nil }
            kind = .inverse(
                column: target.columns[column].quotedName,
                order: order.map { layout.links[$0].quotedName }
            )
        case .links(let index, let ownsPairs):
            let link = layout.links[index]
            if link.isSymmetric {
                kind = .symmetric(table: link.quotedName, isOrdered: link.isOrdered)
            } else {
                kind = .link(
                    table: link.quotedName,
                    near: ownsPairs ? "_source" : "_target",
                    far: ownsPairs ? "_target" : "_source",
                    isOrdered: link.isOrdered && relationship.isOrdered
                )
            }
        case .none: return nil
        }
    }

    func source(target alias: String, link: String) -> String {
        switch kind {
        case .register, .inverse: "\(target.quotedName) \(alias)"
        case .link(let table, _, _, _), .symmetric(let table, _):
            "\(table) \(link) CROSS JOIN \(target.quotedName) \(alias)"
        }
    }

    func condition(owner id: String, ownerColumns: String?, target alias: String, link: String) -> String {
        var parts: [String]
        switch kind {
        case .register(let column):
            let value =
                ownerColumns.map { "\($0).\(column)" }
                ?? "(SELECT \(column) FROM \(owner.quotedName) WHERE _id = \(id))"
            parts = ["\(alias)._id = \(value)"]
        case .inverse(let column, _): parts = ["\(alias).\(column) = \(id)"]
        case .link(_, let near, let far, _): parts = ["\(link).\(near) = \(id)", "\(alias)._id = \(link).\(far)"]
        case .symmetric:
            parts = [
                "(\(link)._source = \(id) OR \(link)._target = \(id))",
                "\(alias)._id = CASE WHEN \(link)._source = \(id) THEN \(link)._target ELSE \(link)._source END",
            ]
        }
        // A register shows its target, whatever the target's entity is.
        if let codes, !isRegister {
            parts.append("\(alias)._entity IN (\(codes.map(String.init).joined(separator: ", ")))")
        }
        return parts.joined(separator: " AND ")
    }

    private var isRegister: Bool {
        if case .register = kind { true } else { false }
    }

    func order(target alias: String, link: String) -> String {
        switch kind {
        case .link(_, _, _, true), .symmetric(_, true): "\(link)._position, \(alias)._id"
        case .inverse(_, .some): "\(position(target: alias, link: link)), \(alias)._id"
        case .link, .symmetric, .register, .inverse: "\(alias)._id"
        }
    }

    func position(target alias: String, link: String) -> String {
        switch kind {
        case .link(_, _, _, true), .symmetric(_, true): "\(link)._position"
        case .inverse(let column, let order?):
            """
            coalesce((SELECT p._position FROM \(order) p
            WHERE p._source = \(alias).\(column) AND p._target = \(alias)._id), '')
            """
        case .link, .symmetric, .register, .inverse: "NULL"
        }
    }
}
