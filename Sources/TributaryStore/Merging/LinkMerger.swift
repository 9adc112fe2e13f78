import TributaryChanges

struct LinkMerger {
    private typealias Pair = LinkTables.Pair

    private let tables: MergeTables
    private let cursor: TransactionCursor
    private let effects: EffectLog
    private let conflicts: LinkConflicts
    let shadows: ShadowLinks

    init(_ tables: MergeTables, cursor: TransactionCursor, effects: EffectLog, conflicts: ConflictRecorder) {
        self.tables = tables
        self.cursor = cursor
        self.effects = effects
        self.conflicts = LinkConflicts(recorder: conflicts)
        shadows = ShadowLinks(tables)
    }

    private var layout: StoreModel { tables.layout }

    /// The other changes of the slice must have been merged before.
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
            // Without a known pair, the deletion of an end has won.
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

    private func hidingDeletions(_ link: LinkLayout, _ source: UniqueID, _ target: UniqueID) throws -> [Int64] {
        try [(link.source, source), (link.target, target)].compactMap { table, id in
            guard try !tables.visibility.isVisible(table, id), let partial = try tables.partialRows.row(table, id),
                partial.shadow == nil
            else { return nil }
            return partial.deleted
        }
    }

    private func deletion(_ row: VisibleRow?, _ table: Int, _ id: UniqueID) throws -> Int64? {
        try row.map(\.versions.deleted) ?? tables.partialRows.row(table, id)?.deleted
    }

    /// Shows the pairs of a newly visible object with visible other ends; costs one look at each of its pairs.
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

    /// With `keepsNewer`, a newer insert survives, so only superseded pairs are removed; costs one look at each pair.
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
                try shadows.insert(of: pair, link, from: id)
                try record(pair, link)
            }
            guard deletion != nil else { continue }
            for pair in try tables.links.hiddenPairs(link, table, id) where try isSuperseded(pair, by: deletion) {
                try shadows.insert(of: pair, link, from: id)
                try tables.links.removeHidden(link, pair.source, pair.target)
            }
        }
    }

    var pendingCount: Int { shadows.count }

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

    private func record(_ pair: Pair, _ link: LinkLayout, _ rows: (VisibleRow?, VisibleRow?)) throws {
        for (table, row, property) in [
            (link.source, rows.0, link.sourceProperty), (link.target, rows.1, link.targetProperty),
        ] {
            guard let property, let row else { continue }
            try effects.record(.update, table, row.id, entity: row.entity, properties: [property])
        }
    }
}

/// Shows pairs that have a shadow at an end as pairs of the representatives.
///
/// The register stays in `tributary_link`; the relationship's table gets a pair without a version, unless it has the
/// pair already.
final class ShadowLinks {
    private struct Cell: Hashable {
        var link: Int
        var source: UniqueID
        var target: UniqueID
    }

    private let tables: MergeTables
    @exclusivity(unchecked) private var cells: Set<Cell> = []

    var count: Int { cells.count }

    init(_ tables: MergeTables) {
        self.tables = tables
    }

    private var layout: StoreModel { tables.layout }

    func concerns(_ link: LinkLayout) -> Bool {
        guard tables.shadows.hasRows || !cells.isEmpty else { return false }
        return tables.keys.hasKeys(link.source) || tables.keys.hasKeys(link.target)
    }

    func insert(_ link: LinkLayout, _ source: UniqueID?, _ target: UniqueID?) {
        guard let source, let target else { return }
        let isSwapped = link.isSymmetric && target < source
        cells.insert(Cell(link: link.index, source: isSwapped ? target : source, target: isSwapped ? source : target))
    }

    /// `id` is an end that is not visible now, but may appear later in the transaction, with the pairs of its shadows.
    func insert(of pair: LinkTables.Pair, _ link: LinkLayout, from id: UniqueID? = nil) throws {
        guard concerns(link) else { return }
        func shown(_ table: Int, _ end: UniqueID) throws -> UniqueID? {
            try tables.shown(table, end) ?? (end == id ? end : nil)
        }
        insert(link, try shown(link.source, pair.source), try shown(link.target, pair.target))
    }

    func insertPairs(of id: UniqueID, _ table: Int, shownAs shown: UniqueID?) throws {
        for index in layout.linksOf[table] {
            let link = layout.links[index]
            for pair in try tables.links.representingPairs(link, table, id) { insert(link, pair.source, pair.target) }
            let pairs = try tables.links.hiddenPairs(link, table, id) + tables.links.shownPairs(link, table, id)
            for pair in pairs where !pair.state.isRemoved {
                let isSource = link.source == table && pair.source == id
                let isTarget = link.target == table && pair.target == id
                insert(
                    link,
                    isSource ? shown : try tables.shown(link.source, pair.source),
                    isTarget ? shown : try tables.shown(link.target, pair.target)
                )
            }
        }
    }

    /// For each collected pair, costs one look at the pairs of the end with fewer shadows, and of its shadows.
    func update(_ record: (LinkLayout, UniqueID, UniqueID) throws -> Void) throws {
        guard !cells.isEmpty else { return }
        let pending = cells
        cells = []
        var groups: [ChangeSlice.Object: Set<UniqueID>] = [:]
        for cell in pending {
            let link = layout.links[cell.link]
            if let known = try tables.links.pair(link, cell.source, cell.target), known.isShown { continue }
            let before = try tables.links.representingPair(link, cell.source, cell.target)
            let state = try state(of: cell, link, &groups)
            guard let state else {
                guard before != nil else { continue }
                try tables.links.removeShown(link, cell.source, cell.target)
                try record(link, cell.source, cell.target)
                continue
            }
            if let before, before.position == state.position { continue }
            let pair = LinkTables.Pair(source: cell.source, target: cell.target, state: state, isShown: true)
            try tables.links.insertShown(pair, link)
            try record(link, cell.source, cell.target)
        }
    }

    /// Linked, with the least position of the pairs that the pair represents; nil if the pair is not shown.
    private func state(
        of cell: Cell,
        _ link: LinkLayout,
        _ groups: inout [ChangeSlice.Object: Set<UniqueID>]
    ) throws -> LinkState<Int64>? {
        guard try tables.visibility.isVisible(link.source, cell.source),
            try tables.visibility.isVisible(link.target, cell.target)
        else { return nil }
        let sources = try group(of: cell.source, link.source, &groups)
        let targets = try group(of: cell.target, link.target, &groups)
        let (table, ids) = sources.count < targets.count ? (link.source, sources) : (link.target, targets)
        var found: LinkState<Int64>?
        for id in ids {
            for pair in try tables.links.hiddenPairs(link, table, id) where !pair.state.isRemoved {
                let isShown = sources.contains(pair.source) && targets.contains(pair.target)
                let isReverse = link.isSymmetric && sources.contains(pair.target) && targets.contains(pair.source)
                guard isShown || isReverse else { continue }
                let position = pair.state.position
                if let known = found?.position, let position, !position.precedesByBytes(known) { continue }
                found = LinkState(version: 0, isRemoved: false, position: position)
                if !link.isOrdered { return found }
            }
        }
        return found
    }

    private func group(
        of id: UniqueID,
        _ table: Int,
        _ groups: inout [ChangeSlice.Object: Set<UniqueID>]
    ) throws -> Set<UniqueID> {
        let object = ChangeSlice.Object(table: table, id: id)
        if let known = groups[object] { return known }
        let made = try Set([id] + tables.shadows.shadows(of: id, table))
        groups[object] = made
        return made
    }
}
