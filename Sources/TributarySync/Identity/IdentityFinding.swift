import TributaryStore

#if MUTATIONS
    import TributaryChanges
#endif

/// The result of comparing a store at its start with its last start.
enum IdentityFinding: Hashable, Sendable {
    /// The store records no home yet.
    case firstStart
    case same
    /// The store has another path or file, and its original is gone.
    case moved(from: String)
    /// The store was restored from a backup.
    case restored
    /// The store's original is still at the path.
    case copied(from: String)
    /// The store is another file than before, its original is gone, and nobody knows its writer yet.
    ///
    /// Whether it was moved or copied, perhaps several times, does not show; as a new writer it is right either way.
    case copiedUnexported(from: String)
    /// The store was last used on another machine.
    case otherMachine
    /// The log folder has a later file of the store's own writer than the store knows.
    case older(file: String)
    /// The log folder has nothing of what the store has exported.
    case lostFolder

    init(_ facts: IdentityFacts) {
        self = IdentityFinding.ofStore(facts)
        if needsNewWriter || !facts.lacksExports { return }
        self = .lostFolder
    }

    private static func ofStore(_ facts: IdentityFacts) -> IdentityFinding {
        #if MUTATIONS
            var facts = facts
            if Mutation.isOn(.restoredStoreNotNoticed) { (facts.isRestored, facts.unknownFile) = (false, nil) }
        #endif
        if facts.isRestored { return .restored }
        guard let recorded = facts.recorded else {
            return facts.unknownFile.map { .older(file: $0) } ?? .firstStart
        }
        if let former = recorded.machine, let machine = facts.current.machine, former != machine {
            return .otherMachine
        }
        let isSameFile = recorded.store.mark.isSame(as: facts.current.store.mark)
        if !isSameFile, facts.isOriginalThere { return .copied(from: recorded.store.path) }
        if let file = facts.unknownFile { return .older(file: file) }
        if !isSameFile, !facts.hasExported { return .copiedUnexported(from: recorded.store.path) }
        return isSameFile && recorded.store.path == facts.current.store.path
            ? .same : .moved(from: recorded.store.path)
    }

    /// Whether the store must not go on under its writer, which another store may be.
    var needsNewWriter: Bool { cause != nil }

    /// The cause of a new writer; nil when the store keeps its own.
    var cause: IdentityEvent.Cause? {
        switch self {
        case .firstStart, .same, .moved, .lostFolder: nil
        case .restored: .restored
        case .copied: .copied
        case .copiedUnexported: .unexported
        case .otherMachine: .otherMachine
        case .older: .older
        }
    }

    var file: String? {
        switch self {
        case .moved(let path), .copied(let path), .copiedUnexported(let path): path
        case .older(let file): file
        case .firstStart, .same, .restored, .otherMachine, .lostFolder: nil
        }
    }
}
