import TributaryChanges

/// A data model: entities with their attributes and relationships, immutable once made.
///
/// ```swift
/// let model = try Model(contentsOf: "Company.xcdatamodeld")
/// let employee = model.entity(named: "Employee")
/// ```
public struct Model: Sendable {
    /// The version's name: that of the `.xcdatamodel`, or the `version` of a YAML model.
    public let version: String
    /// Sorted by name.
    public let entities: [Entity]
    /// Value types that composite attributes are made of, by name.
    public let composites: [String: [Attribute]]
    /// Stored fetch requests, by name.
    public let fetchRequests: [String: StoredFetchRequest]
    /// The entities of each configuration.
    public let configurations: [String: [String]]
    /// What the file says that was not understood or is not supported, and was left out; each with its line.
    ///
    /// Those of other versions beside it that cannot be read come last.
    public var notices: [String] { ownNotices + earlier.notices + later.notices }
    /// The notices of this version alone.
    package internal(set) var ownNotices: [String] = []
    /// The versions before this one, the oldest first, as far as they are known.
    ///
    /// A store of any of them can be brought to this version, name by name through those in between, and writers that
    /// still use one are understood. A model from an `.xcdatamodeld` has them from there.
    public package(set) var earlierVersions: [Model] {
        get { earlier.models }
        set { earlier = ModelVersions(newValue) }
    }
    /// The versions before this one; those of files are read when they are needed.
    package internal(set) var earlier = ModelVersions.none
    /// The versions after this one that lie beside it.
    package internal(set) var later = ModelVersions.none
    private let byName: [String: Entity]
    /// Each model that is made has its own; copies differ in their notices and other versions alone.
    let knownVersionHash: LazyVersionHash

    /// Resolves inheritance, inverses and storage.
    ///
    /// - Throws: ``ModelError`` when names clash or lead nowhere, an inverse does not fit, or the inheritance is a cycle.
    public init(
        version: String,
        entities definitions: [EntityDefinition],
        composites: [String: [Attribute]] = [:],
        fetchRequests: [String: StoredFetchRequest] = [:],
        configurations: [String: [String]] = [:]
    ) throws(ModelError) {
        self.version = version
        self.entities = try ModelResolver(definitions: definitions, composites: composites).resolve()
        self.composites = composites
        self.fetchRequests = fetchRequests
        self.configurations = configurations
        byName = Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0) })
        knownVersionHash = LazyVersionHash()
    }

    /// The entity with the given name.
    public func entity(named name: String) -> Entity? {
        byName[name].flatMap { $0.name.isIdentical(to: name) ? $0 : nil }
    }

    /// The entities at the top of an inheritance: each has a table of its name.
    public var rootEntities: [Entity] { entities.filter { $0.parent == nil } }
}
