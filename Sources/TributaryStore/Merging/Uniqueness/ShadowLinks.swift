import TributaryChanges

/// Shows the pairs of many-to-many relationships that have a shadow at an end with the representatives of the ends.
///
/// The registers stay in `tributary_link`; the own table has a pair of the representatives without a version, unless
/// the representatives are linked themselves. Changes collect the pairs that may have changed, and ``update()`` decides
/// each of them once.
final class ShadowLinks {
    private struct Cell: Hashable {
        var link: Int
        var source: UniqueID
        var target: UniqueID
    }

    private let tables: MergeTables
    @exclusivity(unchecked) private var cells: Set<Cell> = []

    init(_ tables: MergeTables) {
        self.tables = tables
    }

    private var layout: StoreModel { tables.layout }

    /// Whether pairs of the relationship may have shadows at an end.
    func concerns(_ link: LinkLayout) -> Bool {
        guard tables.shadows.hasRows || !cells.isEmpty else { return false }
        return tables.keys.hasKeys(link.source) || tables.keys.hasKeys(link.target)
    }

    /// Records that a pair of visible objects may be shown or not shown any more.
    func insert(_ link: LinkLayout, _ source: UniqueID?, _ target: UniqueID?) {
        guard let source, let target else { return }
        let isSwapped = link.isSymmetric && target < source
        cells.insert(Cell(link: link.index, source: isSwapped ? target : source, target: isSwapped ? source : target))
    }

    /// Records that the register of a pair has changed.
    func insert(of pair: LinkTables.Pair, _ link: LinkLayout) throws {
        guard concerns(link) else { return }
        insert(link, try tables.shown(link.source, pair.source), try tables.shown(link.target, pair.target))
    }

    /// Records the pairs that an object's pairs are shown as, when references to it show `shown`.
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

    /// Shows or removes the collected pairs; `record` is given each one that has changed.
    ///
    /// The cost is one look at each shadow of the ends, and for each collected pair one look at each pair in
    /// `tributary_link` of the end with fewer shadows, and of its shadows.
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

    /// The state that a pair without a register of its own has: linked, at the least position; nil when it is not shown.
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
                if let known = found?.position, let position, !isBefore(position, known) { continue }
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

    private func isBefore(_ first: String, _ second: String) -> Bool {
        first.utf8.lexicographicallyPrecedes(second.utf8)
    }
}
