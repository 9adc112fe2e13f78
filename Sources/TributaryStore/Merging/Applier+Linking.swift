import TributaryChanges
import TributaryModel

/// Pairs of many-to-many relationships: a register for each, which says linked or not. The register of a visible pair
/// is its row in the relationship's own table; all others are in `tributary_link`.
extension Applier {
    private struct Pair {
        var source: UniqueID
        var target: UniqueID
        var version: Int64
        var isRemoved: Bool
        var position: String?
    }

    func applyLinks(_ slice: ChangeSlice) throws {
        for operation in slice.links {
            let change = slice.changes[operation.index]
            takeVersion(at: slice.first + operation.index)
            switch change.operation {
            case .link(_, let ids, let positions):
                for (place, id) in ids.enumerated() {
                    try applyLink(operation, change.id, id, position: positions?[place], isRemoved: false, slice)
                }
            case .unlink(_, let ids):
                for id in ids { try applyLink(operation, change.id, id, position: nil, isRemoved: true, slice) }
            case .insert, .update, .delete: break
            }
        }
    }

    private func applyLink(
        _ operation: ChangeSlice.Link,
        _ own: UniqueID,
        _ other: UniqueID,
        position: String?,
        isRemoved: Bool,
        _ slice: ChangeSlice
    ) throws {
        let link = layout.links[operation.link]
        var (source, target) = operation.ownsPairs ? (own, other) : (other, own)
        if link.isSymmetric, target < source { swap(&source, &target) }
        // A later deletion in the same slice, which has been applied before, makes the pair void.
        if slice.isDeleted(link.source, source, after: operation.index) { return }
        if slice.isDeleted(link.target, target, after: operation.index) { return }
        let known = try pair(link, source, target)
        if let known, try isOlder(than: known.version) { return }
        for (table, id) in [(link.source, source), (link.target, target)] {
            if let deleted = try deletion(table, id), try isOlder(than: deleted) { return }
        }
        let now = Pair(
            source: source,
            target: target,
            version: number,
            isRemoved: isRemoved,
            position: isRemoved || !link.isOrdered ? nil : position ?? ""
        )
        let wasShown = try isShown(link, source, target)
        let isShown = try !isRemoved && isVisible(link.source, source) && isVisible(link.target, target)
        if wasShown, !isShown { try removeShown(link, source, target) }
        if known != nil, !wasShown, isShown { try removeHiddenPair(link, source, target) }
        if isShown { try show(now, link) } else { try hide(now, link) }
        if wasShown != isShown || (isShown && known?.position != now.position) {
            try recordPair(link, source, target)
        }
    }

    /// An object has become visible: so do its pairs whose other end is.
    func showLinks(_ table: Int, _ id: UniqueID) throws {
        for index in layout.linksOf[table] {
            let link = layout.links[index]
            for pair in try hiddenPairs(link, table, id) where !pair.isRemoved {
                guard try isVisible(link.source, pair.source), try isVisible(link.target, pair.target) else { continue }
                try removeHiddenPair(link, pair.source, pair.target)
                try show(pair, link)
                try recordPair(link, pair.source, pair.target)
            }
        }
    }

    /// An object has gone, or what was written up to a deletion is void: void pairs are dropped.
    ///
    /// Newer pairs stay visible when `keepsNewer` says so, because the object does.
    func hideLinks(_ table: Int, _ id: UniqueID, voidingUpTo deletion: Int64?, keepsNewer: Bool) throws {
        for index in layout.linksOf[table] {
            let link = layout.links[index]
            for pair in try shownPairs(link, table, id) {
                let isVoid = try isVoid(pair, deletion)
                if !isVoid, keepsNewer { continue }
                try removeShown(link, pair.source, pair.target)
                if !isVoid { try hide(pair, link) }
                try recordPair(link, pair.source, pair.target)
            }
            guard hasHiddenLinks, deletion != nil else { continue }
            for pair in try hiddenPairs(link, table, id) where try isVoid(pair, deletion) {
                try removeHiddenPair(link, pair.source, pair.target)
            }
        }
    }

    private func isVoid(_ pair: Pair, _ deletion: Int64?) throws -> Bool {
        guard let deletion else { return false }
        return try pair.version == deletion || !stamps.isOlder(deletion, than: pair.version)
    }

    /// The last deletion of an object, visible or not.
    private func deletion(_ table: Int, _ id: UniqueID) throws -> Int64? {
        if try isVisible(table, id) { return try visibleRow(table, id)?.versions.deleted }
        return try hiddenObject(table, id)?.deleted
    }

    // MARK: Rows

    private func pair(_ link: LinkLayout, _ source: UniqueID, _ target: UniqueID) throws -> Pair? {
        let shown = try BoundStatement(db, select(link) + " WHERE _source = ?1 AND _target = ?2")
        shown.bind(1, source)
        shown.bind(2, target)
        if let found = try shown.first({ read($0) }) { return found }
        guard hasHiddenLinks else { return nil }
        let hidden = try BoundStatement(db, Applier.selectHidden + " WHERE link = ?1 AND source = ?2 AND target = ?3")
        hidden.bind(1, link.code)
        hidden.bind(2, source)
        hidden.bind(3, target)
        return try hidden.first { read($0) }
    }

    private func isShown(_ link: LinkLayout, _ source: UniqueID, _ target: UniqueID) throws -> Bool {
        let shown = try BoundStatement(db, select(link) + " WHERE _source = ?1 AND _target = ?2")
        shown.bind(1, source)
        shown.bind(2, target)
        return try shown.first { _ in true } ?? false
    }

    private func shownPairs(_ link: LinkLayout, _ table: Int, _ id: UniqueID) throws -> [Pair] {
        var found: [Pair] = []
        if link.source == table {
            let statement = try BoundStatement(db, select(link) + " WHERE _source = ?1")
            statement.bind(1, id)
            try statement.forEach { found.append(read($0)) }
        }
        if link.target == table {
            let statement = try BoundStatement(db, select(link) + " WHERE _target = ?1 AND _source <> ?1")
            statement.bind(1, id)
            try statement.forEach { found.append(read($0)) }
        }
        return found
    }

    private func hiddenPairs(_ link: LinkLayout, _ table: Int, _ id: UniqueID) throws -> [Pair] {
        var found: [Pair] = []
        if link.source == table {
            let statement = try BoundStatement(db, Applier.selectHidden + " WHERE link = ?1 AND source = ?2")
            statement.bind(1, link.code)
            statement.bind(2, id)
            try statement.forEach { found.append(read($0)) }
        }
        if link.target == table {
            let statement = try BoundStatement(
                db,
                Applier.selectHiddenByTarget + " WHERE link = ?1 AND target = ?2 AND source <> ?2"
            )
            statement.bind(1, link.code)
            statement.bind(2, id)
            try statement.forEach { found.append(read($0)) }
        }
        return found
    }

    private func select(_ link: LinkLayout) -> String {
        "SELECT _source, _target, _version, 0, \(link.isOrdered ? "_position" : "NULL") FROM \(link.quotedName)"
    }

    private static let selectHidden = "SELECT source, target, version, removed, position FROM tributary_link"

    /// SQLite by itself takes the primary key for pairs of a target, and then reads all pairs of the relationship.
    private static let selectHiddenByTarget = selectHidden + " INDEXED BY tributary_link_target"

    private func read(_ row: BoundStatement) -> Pair {
        let none = UniqueID(high: 0, low: 0)
        return Pair(
            source: row.id(0) ?? none,
            target: row.id(1) ?? none,
            version: row.integer(2),
            isRemoved: row.integer(3) != 0,
            position: row.optionalText(4)
        )
    }

    private func show(_ pair: Pair, _ link: LinkLayout) throws {
        let statement = try BoundStatement(
            db,
            """
            INSERT OR REPLACE INTO \(link.quotedName)(_source, _target, _version\(link.isOrdered ? ", _position" : ""))
            VALUES (?1, ?2, ?3\(link.isOrdered ? ", ?4" : ""))
            """
        )
        statement.bind(1, pair.source)
        statement.bind(2, pair.target)
        statement.bind(3, pair.version)
        if link.isOrdered { statement.bind(4, pair.position) }
        try statement.run()
    }

    private func hide(_ pair: Pair, _ link: LinkLayout) throws {
        let statement = try BoundStatement(
            db,
            """
            INSERT OR REPLACE INTO tributary_link(link, source, target, version, removed, position)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            """
        )
        statement.bind(1, link.code)
        statement.bind(2, pair.source)
        statement.bind(3, pair.target)
        statement.bind(4, pair.version)
        statement.bind(5, Int64(pair.isRemoved ? 1 : 0))
        statement.bind(6, pair.position)
        try statement.run()
        hasHiddenLinks = true
    }

    private func removeShown(_ link: LinkLayout, _ source: UniqueID, _ target: UniqueID) throws {
        let statement = try BoundStatement(db, "DELETE FROM \(link.quotedName) WHERE _source = ?1 AND _target = ?2")
        statement.bind(1, source)
        statement.bind(2, target)
        try statement.run()
    }

    private func removeHiddenPair(_ link: LinkLayout, _ source: UniqueID, _ target: UniqueID) throws {
        let statement = try BoundStatement(
            db,
            "DELETE FROM tributary_link WHERE link = ?1 AND source = ?2 AND target = ?3"
        )
        statement.bind(1, link.code)
        statement.bind(2, source)
        statement.bind(3, target)
        try statement.run()
    }

    /// Both ends see the relationship change, as far as they are visible and the relationship is theirs.
    private func recordPair(_ link: LinkLayout, _ source: UniqueID, _ target: UniqueID) throws {
        let ends = [(link.source, source, link.sourceProperty), (link.target, target, link.targetProperty)]
        for (table, id, property) in ends {
            guard let property, let row = try visibleRow(table, id) else { continue }
            try record(.update, table, id, entity: row.entity, properties: [property])
        }
    }
}
