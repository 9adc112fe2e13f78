import GRDB
import TributaryChanges
import TributaryModel
import TributaryStore

/// Migrates the pairs of many-to-many relationships, and positions.
extension MigrationStep {
    func copyLinks() throws {
        for link in before.links where !mapping.keeps(link) {
            try db.execute(
                sql: """
                    CREATE TABLE tributary_former_pairs AS SELECT * FROM tributary_link WHERE link = \(link.code);
                    DELETE FROM tributary_link WHERE link = \(link.code);
                    """
            )
            if let target = mapping.links[link.index] {
                try move(link, to: target)
            } else if try !isOrder(link) {
                try deferPairs(of: link)
            }
            try db.execute(sql: "DROP TABLE tributary_former_pairs")
        }
    }

    /// Whether the link table keeps only the positions of a relationship whose pairs are in the inverse register.
    private func isOrder(_ link: LinkLayout) throws -> Bool {
        guard let (entity, propertyIndex) = mapping.owner(of: link) else { return true }
        if case .inverse = before.entities[entity].places[propertyIndex] { return true }
        return false
    }

    private func move(_ link: LinkLayout, to target: StoreMapping.Link) throws {
        let new = after.links[target.link]
        try Schema.createTable(new, in: db)
        let ends = target.swaps ? "_target, _source" : "_source, _target"
        let position = link.isOrdered ? "coalesce(_position, '')" : "''"
        try db.execute(
            sql: """
                INSERT INTO \(new.quotedName)(_source, _target, _version\(new.isOrdered ? ", _position" : ""))
                SELECT \(ends), _version\(new.isOrdered ? ", \(position)" : "") FROM \(MigrationStep.former(link))
                """
        )
        let hidden = new.isOrdered ? "iif(removed, NULL, coalesce(position, ''))" : "NULL"
        try db.execute(
            sql: """
                INSERT INTO tributary_link(link, source, target, version, removed, position)
                SELECT \(new.code), \(target.swaps ? "target, source" : "source, target"), version, removed, \(hidden)
                FROM tributary_former_pairs
                """
        )
    }

    /// Defers the pairs of a relationship that was removed or has become one of another kind.
    private func deferPairs(of link: LinkLayout) throws {
        guard let (owner, propertyIndex) = mapping.owner(of: link) else { return }
        var property = before.entities[owner].entity.properties[propertyIndex].name
        var source = link.source
        // The other side may have existed for longer, in a version between the two.
        var other: String?
        let name = mapping.entities[owner].map { after.entities[$0].entity.name }
        let last = name ?? after.lastName(ofEntity: before.entities[owner].entity.name)
        if let owner = after.formerPairsOwner(ofProperty: property, of: last) {
            (other, property, source) = (owner.entity, owner.property, link.target)
        }
        let isSwapped = other != nil
        let position = link.isOrdered ? "_position" : "NULL"
        let select = try BoundStatement(
            db,
            """
            SELECT \(isSwapped ? "_target" : "_source") AS source, \(isSwapped ? "_source" : "_target") AS target,
                _version AS version, 0 AS removed, \(position)
            FROM \(MigrationStep.former(link))
            UNION ALL SELECT \(isSwapped ? "target, source" : "source, target"), version, removed, position
            FROM tributary_former_pairs
            ORDER BY source, version, removed, target
            """
        )
        struct Group: Equatable {
            var source: UniqueID
            var number: Int64
            var isRemoved: Bool
        }
        var group: Group?
        var targets: [(id: UniqueID, position: String?)] = []
        func flush() throws {
            guard let group, !targets.isEmpty else { return }
            try deferPairs(
                try other ?? entityName(before.tables[source], group.source, fallback: owner),
                group.source,
                property: property,
                number: group.number,
                isRemoved: group.isRemoved,
                targets: targets
            )
            targets = []
        }
        try select.forEach { row in
            guard let source = row.id(0), let target = row.id(1) else { return }
            let next = Group(source: source, number: row.integer(2), isRemoved: row.integer(3) != 0)
            if next != group { try flush() }
            group = next
            targets.append((target, row.optionalText(4)))
        }
        try flush()
    }
}
