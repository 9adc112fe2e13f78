import TributaryChanges

/// A data model: entities with their attributes and relationships, immutable after creation.
///
/// ```swift
/// let model = try Model(contentsOf: "Company.xcdatamodeld")
/// let employee = model.entity(named: "Employee")
/// ```
public struct Model: Sendable {
    /// The version's name: the name of the `.xcdatamodel`, or the `version` of a YAML model.
    public let version: String
    /// The entities, sorted by name.
    public let entities: [Entity]
    /// The attributes of each composite type, by the type's name.
    public let composites: [String: [Attribute]]
    /// The stored fetch requests, by name.
    public let fetchRequests: [String: StoredFetchRequest]
    /// The names of the entities of each configuration.
    public let configurations: [String: [String]]
    /// Parts of the file that were left out because they are unknown or not supported, each with its line.
    ///
    /// Other versions of the model that cannot be read come last.
    public var notices: [String] { ownNotices + earlier.notices + later.notices }
    package internal(set) var ownNotices: [String] = []
    /// The known versions before this version, the oldest first.
    ///
    /// A store of any of these versions can be migrated to this version, with names resolved through the versions in
    /// between. Segments of writers with such a version are understood. A model from an `.xcdatamodeld` has the
    /// versions of that folder.
    public package(set) var earlierVersions: [Model] {
        get { earlier.models }
        set { earlier = ModelVersions(newValue) }
    }
    /// The older versions; versions in files are read at the first access.
    package internal(set) var earlier = ModelVersions.none
    package internal(set) var later = ModelVersions.none
    private let byName: [String: Entity]
    /// Copies, which differ only in notices and other versions, share the hash.
    let knownVersionHash: LazyVersionHash

    /// Creates a model: resolves inheritance, inverses and storage.
    ///
    /// - Parameters:
    ///   - version: The name of the version.
    ///   - definitions: The entities.
    ///   - composites: The attributes of each composite type, by the type's name.
    ///   - fetchRequests: The stored fetch requests, by name.
    ///   - configurations: The names of the entities of each configuration.
    /// - Throws: ``ModelError`` for equal or unknown names, an inverse that does not match, and cyclic inheritance.
    public init(
        version: String,
        entities definitions: [EntityDefinition],
        composites: [String: [Attribute]] = [:],
        fetchRequests: [String: StoredFetchRequest] = [:],
        configurations: [String: [String]] = [:]
    ) throws(ModelError) {
        let resolver = try ModelResolver(definitions: definitions, composites: composites)
        try self.init(version: version, resolver, fetchRequests: fetchRequests, configurations: configurations)
    }

    init(
        version: String,
        _ resolver: ModelResolver,
        fetchRequests: [String: StoredFetchRequest] = [:],
        configurations: [String: [String]] = [:]
    ) throws(ModelError) {
        self.version = version
        self.entities = try resolver.resolve()
        composites = resolver.composites
        self.fetchRequests = fetchRequests
        self.configurations = configurations
        byName = Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0) })
        knownVersionHash = LazyVersionHash()
    }

    /// The entity with the given name.
    public func entity(named name: String) -> Entity? {
        byName[name].flatMap { $0.name.isIdentical(to: name) ? $0 : nil }
    }

    /// The entities at the top of an inheritance: each has a table with its name.
    public var rootEntities: [Entity] { entities.filter { $0.parent == nil } }
}

/// A fetch request that a model names.
public struct StoredFetchRequest: Sendable, Hashable {
    /// The name in the model.
    public var name: String
    /// The entity of the objects to fetch.
    public var entity: String
    /// The predicate in the format language, with `$VARIABLES`.
    public var predicate: String?
    /// The greatest number of objects to fetch; 0 for no limit.
    public var fetchLimit = 0
    /// The number of objects to read at a time; 0 for all.
    public var fetchBatchSize = 0
    /// Whether objects of sub-entities are fetched too.
    public var includesSubentities = true

    /// Creates a request for all objects of an entity.
    public init(name: String, entity: String) {
        self.name = name
        self.entity = entity
    }
}
