import TributaryChanges

/// Finds the conflicts of links and unlinks, and of links with deletions of their ends.
struct LinkConflicts {
    let recorder: ConflictRecorder

    /// Keeps the state that does not stand when a link or unlink meets one of another writer.
    func keep(
        of state: LinkState<Int64>,
        with known: LinkTables.Pair,
        _ link: LinkLayout,
        isAccepted: Bool
    ) throws {
        guard try recorder.isForeign(known.state.version) else { return }
        if known.state.isRemoved == state.isRemoved, known.state.hasPosition(of: state) { return }
        guard try recorder.isConflict(with: known.state.version, isArrivingLost: !isAccepted) else { return }
        let (losing, winning) = isAccepted ? (known.state, state) : (state, known.state)
        try recorder.keep {
            entry(.latest, link, known.source, known.target, losing, winning.version, value(winning, known.target))
        }
    }

    /// Keeps a link that is not shown because an end is deleted, unless its writer had seen the deletions.
    func keep(
        _ source: UniqueID,
        _ target: UniqueID,
        of state: LinkState<Int64>,
        _ link: LinkLayout,
        hiddenBy deletions: [Int64]
    ) throws {
        guard !state.isRemoved else { return }
        for deletion in deletions where try recorder.isConflict(with: deletion, isArrivingLost: true) {
            return try recorder.keep { entry(.deletion, link, source, target, state, deletion, nil) }
        }
    }

    /// Keeps a shown link that the deletion of an end takes away and had not seen.
    func keep(_ pair: LinkTables.Pair, _ link: LinkLayout, hiddenBy deletion: Int64) throws {
        guard try recorder.isConflict(with: pair.state.version, isArrivingLost: false) else { return }
        try recorder.keep { entry(.deletion, link, pair.source, pair.target, pair.state, deletion, nil) }
    }

    private func entry(
        _ rule: Conflict.Rule,
        _ link: LinkLayout,
        _ source: UniqueID,
        _ target: UniqueID,
        _ losing: LinkState<Int64>,
        _ winning: Int64,
        _ winningValue: JSONValue?
    ) -> ConflictEntry {
        ConflictEntry(
            kind: .link,
            rule: rule,
            entity: recorder.entityName(of: link.sourceProperty, table: link.source),
            id: source,
            property: link.sourceProperty,
            losing: losing.version,
            losingValue: value(losing, target),
            winning: winning,
            winningValue: winningValue
        )
    }

    /// `{"link":"…"}` or `{"unlink":"…"}` with the other end, and the position in an ordered relationship.
    private func value(_ state: LinkState<Int64>, _ target: UniqueID) -> JSONValue {
        var members = [JSONMember(key: state.isRemoved ? "unlink" : "link", value: .string(target.description))]
        if let position = state.position { members.append(JSONMember(key: "position", value: .string(position))) }
        return .object(members)
    }
}
