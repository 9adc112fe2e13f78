import TributaryChanges

/// Merges links and unlinks of many-to-many relationships, and positions of ordered relationships.
struct LinkMerger {
    private typealias Pair = LinkTables.Pair

    private let tables: MergeTables
    private let cursor: TransactionCursor
    private let effects: EffectLog
    private let conflicts: LinkConflicts
    /// The pairs that are shown for pairs with shadows.
    let shadows: ShadowLinks

    init(_ tables: MergeTables, cursor: TransactionCursor, effects: EffectLog, conflicts: ConflictRecorder) {
        self.tables = tables
        self.cursor = cursor
        self.effects = effects
        self.conflicts = LinkConflicts(recorder: conflicts)
        shadows = ShadowLinks(tables)
    }

    private var layout: StoreModel { tables.layout }

    // MARK: Changes

    /// Merges the links and unlinks of a slice in order, after its other changes were merged.
    func apply(_ slice: ChangeSlice) throws {
        for operation in slice.links {
            let change = slice.changes[operation.index]
            switch change.operation {
            case .link(_, let ids, let positions):
                for (index, id) in ids.enumerated() {
                    let state = state(of: operation, isRemoved: false, position: positions?[index])
                    try apply(state, operation, change.id, id)
                }
            case .unlink(_, let ids):
                let state = state(of: operation, isRemoved: true, position: nil)
                for id in ids { try apply(state, operation, change.id, id) }
            case .insert, .update, .delete: break
            }
        }
    }

    private func state(of operation: ChangeSlice.Link, isRemoved: Bool, position: String?) -> LinkState<Int64> {
        let hasPosition = !isRemoved && layout.links[operation.link].isOrdered
        return LinkState(version: cursor.number, isRemoved: isRemoved, position: hasPosition ? position ?? "" : nil)
    }

    private func apply(
        _ state: LinkState<Int64>,
        _ operation: ChangeSlice.Link,
        _ own: UniqueID,
        _ other: UniqueID
    ) throws {
        let link = layout.links[operation.link]
        var (source, target) = operation.ownsPairs ? (own, other) : (other, own)
        if link.isSymmetric, target < source { swap(&source, &target) }
        let known = try tables.links.pair(link, source, target)
        let rows = try (tables.objects.row(link.source, source), tables.objects.row(link.target, target))
        let deletions = try (deletion(rows.0, link.source, source), deletion(rows.1, link.target, target))
        let isAccepted = try LinkState.accepts(
            state,
            over: known?.state,
            after: deletions.0,
            and: deletions.1,
            by: tables.versions
        )
        if let known { try conflicts.keep(of: state, with: known, link, isAccepted: isAccepted) }
        guard isAccepted else {
            // The deletion of an end has removed what was known of the pair before.
            guard known == nil else { return }
            let hiding = [deletions.0, deletions.1].compactMap(\.self)
            return try conflicts.keep(source, target, of: state, link, hiddenBy: hiding)
        }
        let wasShown = known?.isShown ?? false
        let isShown = !state.isRemoved && rows.0 != nil && rows.1 != nil
        if !isShown, !state.isRemoved {
            try conflicts.keep(source, target, of: state, link, hiddenBy: hidingDeletions(link, source, target))
        }
        if wasShown, !isShown { try tables.links.removeShown(link, source, target) }
        if known != nil, !wasShown, isShown { try tables.links.removeHidden(link, source, target) }
        let pair = Pair(source: source, target: target, state: state, isShown: isShown)
        if isShown { try tables.links.insertShown(pair, link) } else { try tables.links.insertHidden(pair, link) }
        if !isShown || !wasShown { try shadows.insert(of: pair, link) }
        let isMoved = isShown && known.map { !$0.state.hasPosition(of: state) } ?? true
        if wasShown != isShown || isMoved { try record(pair, link, rows) }
    }

    /// The deletions of those ends that are not visible.
    private func hidingDeletions(_ link: LinkLayout, _ source: UniqueID, _ target: UniqueID) throws -> [Int64] {
        try [(link.source, source), (link.target, target)].compactMap { table, id in
            guard try !tables.visibility.isVisible(table, id), let partial = try tables.partialRows.row(table, id),
                partial.shadow == nil
            else { return nil }
            return partial.deleted
        }
    }

    /// The greatest deletion of an object, whose row is nil while it is not visible.
    private func deletion(_ row: VisibleRow?, _ table: Int, _ id: UniqueID) throws -> Int64? {
        try row.map(\.versions.deleted) ?? tables.partialRows.row(table, id)?.deleted
    }

    // MARK: Visibility

    /// Shows the pairs of an object that has become visible, where the other end is visible too.
    ///
    /// The cost is one look at each of its pairs.
    func show(_ table: Int, _ id: UniqueID) throws {
        guard tables.links.hasHidden else { return }
        for index in layout.linksOf[table] {
            let link = layout.links[index]
            for pair in try tables.links.hiddenPairs(link, table, id) where !pair.state.isRemoved {
                try shadows.insert(of: pair, link)
                guard try tables.visibility.isVisible(link.source, pair.source),
                    try tables.visibility.isVisible(link.target, pair.target)
                else { continue }
                try tables.links.removeHidden(link, pair.source, pair.target)
                try tables.links.insertShown(pair, link)
                try record(pair, link)
            }
        }
    }

    /// Updates the pairs of an object that has disappeared or was deleted; removes superseded pairs.
    ///
    /// A deletion may also come that a newer insert survives. The cost is one look at each of the object's pairs.
    func hide(_ table: Int, _ id: UniqueID, deletedAt deletion: Int64?, keepsNewer: Bool) throws {
        for index in layout.linksOf[table] {
            let link = layout.links[index]
            if !keepsNewer, shadows.concerns(link) {
                for pair in try tables.links.representingPairs(link, table, id) {
                    shadows.insert(link, pair.source, pair.target)
                }
            }
            for pair in try tables.links.shownPairs(link, table, id) {
                let isSuperseded = try isSuperseded(pair, by: deletion)
                if !isSuperseded, keepsNewer { continue }
                if let deletion { try conflicts.keep(pair, link, hiddenBy: deletion) }
                try tables.links.removeShown(link, pair.source, pair.target)
                if !isSuperseded { try tables.links.insertHidden(pair, link) }
                try shadows.insert(of: pair, link)
                try record(pair, link)
            }
            guard deletion != nil else { continue }
            for pair in try tables.links.hiddenPairs(link, table, id) where try isSuperseded(pair, by: deletion) {
                try shadows.insert(of: pair, link)
                try tables.links.removeHidden(link, pair.source, pair.target)
            }
        }
    }

    /// Shows or removes the pairs that stand for pairs with shadows, where they have changed.
    func updateShadows() throws {
        try shadows.update { link, source, target in
            let state = LinkState<Int64>(version: 0, isRemoved: false, position: nil)
            try record(Pair(source: source, target: target, state: state, isShown: true), link)
        }
    }

    private func isSuperseded(_ pair: Pair, by deletion: Int64?) throws -> Bool {
        try tables.versions.isSuperseded(pair.state.version, by: deletion)
    }

    private func record(_ pair: Pair, _ link: LinkLayout) throws {
        try record(
            pair,
            link,
            (tables.objects.row(link.source, pair.source), tables.objects.row(link.target, pair.target))
        )
    }

    /// Records the changed relationship at both ends, where the end is visible and has the relationship.
    private func record(_ pair: Pair, _ link: LinkLayout, _ rows: (VisibleRow?, VisibleRow?)) throws {
        for (table, row, property) in [
            (link.source, rows.0, link.sourceProperty), (link.target, rows.1, link.targetProperty),
        ] {
            guard let property, let row else { continue }
            try effects.record(.update, table, row.id, entity: row.entity, properties: [property])
        }
    }
}
