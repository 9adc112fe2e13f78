import TributaryChanges

/// The steps of an update grow with the number of changed objects and the logarithm of the number of results.
final class ResultsListing {
    private struct Place {
        let section: ResultsSection
        let node: OrderStatisticTree<ResultsEntry>.Node
    }

    private let query: ResultsQuery
    private let sections: OrderStatisticTree<ResultsSection>
    private var places: [ManagedObjectID: Place] = [:]
    private var cachedSections: [FetchedSection]?
    let steps = StepCounter()

    init(_ query: ResultsQuery, _ entries: [ResultsEntry]) {
        self.query = query
        sections = OrderStatisticTree(steps: steps)
        fill(entries)
    }

    var count: Int { places.count }

    var sectionCount: Int { sections.count }

    func count(inSection index: Int) -> Int? { sections[index]?.entries.count }

    func contains(_ id: ManagedObjectID) -> Bool { places[id] != nil }

    func object(at position: FetchedPosition) -> ManagedObject? {
        sections[position.section]?.entries[position.item]?.object
    }

    func position(of id: ManagedObjectID) -> FetchedPosition? { places[id].map(position) }

    func forEachObject(_ block: (ManagedObject) -> Void) {
        sections.forEach { section in section.entries.forEach { block($0.object) } }
    }

    var fetchedSections: [FetchedSection] {
        if let cachedSections { return cachedSections }
        var result: [FetchedSection] = []
        result.reserveCapacity(sections.count)
        sections.forEach { result.append(FetchedSection(value: $0.value, objectIDs: $0.objectIDs)) }
        cachedSections = result
        return result
    }

    /// Takes the new entries in any order; a touched object that keeps its position is an update.
    func update(_ touched: Set<ManagedObjectID>, _ entries: [ResultsEntry]) -> FetchedResultsDiff {
        let former = touched.compactMap { id in places[id].map { (id: id, place: $0, from: position($0)) } }
        var difference = ResultsDifference<ObjectIdentifier>()
        var affected: [ObjectIdentifier: ResultsSection] = [:]
        for (id, place, from) in former {
            difference.remove(id, from: from, in: ObjectIdentifier(place.section))
            affected[ObjectIdentifier(place.section)] = place.section
        }
        let formerSections = affected.values.map { section in
            (section: section, header: FetchedResultsDiff.Section(value: section.value, index: index(of: section)))
        }
        for (id, place, _) in former {
            place.section.entries.remove(place.node)
            places[id] = nil
        }
        var newSections: [ResultsSection] = []
        for entry in entries where places[entry.id] == nil {
            let section = self.section(for: entry) ?? addSection(for: entry, to: &newSections)
            affected[ObjectIdentifier(section)] = section
            let node = section.entries.insert(entry) { query.precedes($0, entry) }
            places[entry.id] = Place(section: section, node: node)
        }
        for (section, header) in formerSections where section.entries.count == 0 {
            section.node.map(sections.remove)
            difference.deletedSections.append(header)
        }
        for section in newSections {
            let header = FetchedResultsDiff.Section(value: section.value, index: index(of: section))
            difference.insertedSections.append(header)
        }
        for entry in entries {
            guard let place = places[entry.id] else { continue }
            difference.insert(entry.id, to: position(place), in: ObjectIdentifier(place.section))
        }
        let diff = difference.diff()
        if diff.changesOrder {
            cachedSections = nil
            for section in affected.values { section.dropCachedIDs() }
        }
        return diff
    }

    private func fill(_ entries: [ResultsEntry]) {
        places.reserveCapacity(entries.count)
        var last: ResultsSection?
        for entry in entries where places[entry.id] == nil {
            var section = last.flatMap { query.sectionOrder($0.key, entry) == 0 ? $0 : nil }
            if section == nil {
                let new = ResultsSection(key: query.sectionKey(entry), steps: steps)
                new.node = sections.append(new)
                section = new
            }
            last = section
            if let section { places[entry.id] = Place(section: section, node: section.entries.append(entry)) }
        }
    }

    private func section(for entry: ResultsEntry) -> ResultsSection? {
        let candidate = sections.first { query.sectionOrder($0.key, entry) < 0 }
        return candidate.flatMap { query.sectionOrder($0.key, entry) == 0 ? $0 : nil }
    }

    private func addSection(for entry: ResultsEntry, to new: inout [ResultsSection]) -> ResultsSection {
        let section = ResultsSection(key: query.sectionKey(entry), steps: steps)
        section.node = sections.insert(section) { query.sectionOrder($0.key, entry) < 0 }
        new.append(section)
        return section
    }

    private func index(of section: ResultsSection) -> Int { section.node.map(sections.index) ?? 0 }

    private func position(_ place: Place) -> FetchedPosition {
        FetchedPosition(section: index(of: place.section), item: place.section.entries.index(of: place.node))
    }
}

final class ResultsSection {
    let key: PropertyValue
    let entries: OrderStatisticTree<ResultsEntry>
    var node: OrderStatisticTree<ResultsSection>.Node?
    private var cachedIDs: [ManagedObjectID]?

    init(key: PropertyValue, steps: StepCounter) {
        self.key = key
        entries = OrderStatisticTree(steps: steps)
    }

    /// The first entry decides, because equal numbers may have several forms.
    var value: PropertyValue { key.isNull ? .null : entries.first?.keys.first ?? key }

    func dropCachedIDs() { cachedIDs = nil }

    var objectIDs: [ManagedObjectID] {
        if let cachedIDs { return cachedIDs }
        var ids: [ManagedObjectID] = []
        ids.reserveCapacity(entries.count)
        entries.forEach { ids.append($0.id) }
        cachedIDs = ids
        return ids
    }
}
