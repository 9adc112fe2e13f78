/// The contexts of the simulation: their numbers in the steps of a schedule, and what they are.
enum ContextPlace {
    struct Place {
        let name: String
        /// The context to which a child's saves go.
        var parent: Int?
        /// Whether the context shows one generation until it is moved.
        var isFixed = false
        var hasUndo = false
        /// Whether the context belongs to a second container on the same file, as to another process.
        var isElsewhere = false
        /// Whether the place is a foreign writer, whose transactions are imported.
        var isForeign = false
    }

    static let view = 0
    static let merging = 1
    static let pinned = 2

    static let all = [
        Place(name: "view", isFixed: true, hasUndo: true),
        Place(name: "merging", hasUndo: true),
        Place(name: "pinned", isFixed: true, hasUndo: true),
        Place(name: "child of view", parent: 0, hasUndo: true),
        Place(name: "grandchild of view", parent: 3),
        Place(name: "great-grandchild of view", parent: 4),
        Place(name: "child of merging", parent: 1),
        Place(name: "elsewhere", isElsewhere: true),
        Place(name: "foreign writer", isForeign: true),
        Place(name: "child of pinned", parent: 2),
    ]

    static let elsewhere = 7
    static let foreign = 8
}
