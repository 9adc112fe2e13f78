import Tributary

/// Companies by city, as a list in an interface would show them.
@MainActor
final class CompanyList {
    private let controller: FetchedResultsController<Company>
    /// The lines on the screen: one for each city, and one for each company in it.
    private(set) var lines: [String] = []
    /// The changes that the interface received, in order.
    private(set) var story: [String] = []

    init(_ container: PersistentContainer) throws {
        controller = try FetchedResultsController(
            FetchRequest("Company", where: "city != nil", sortKeys: [SortKey("name")]),
            context: container.viewContext,
            sectionKeyPath: "city"
        )
        controller.onChange = { [weak self] diff in self?.follow(diff) }
        draw()
    }

    private func follow(_ diff: FetchedResultsDiff) {
        // A table view would be told of the sections and places that the diff names; this one draws all lines again.
        story.append(
            "\(diff.insertions.count) new, \(diff.deletions.count) gone, "
                + "\(diff.moves.count) moved, \(diff.updates.count) changed"
        )
        draw()
    }

    private func draw() {
        lines = controller.sections.enumerated().flatMap { section, content in
            let companies = content.objectIDs.indices.compactMap { item in
                controller.object(at: FetchedPosition(section: section, item: item))
            }
            return ["\(companies.first?.city ?? ""):"] + companies.map(\.name)
        }
    }
}
