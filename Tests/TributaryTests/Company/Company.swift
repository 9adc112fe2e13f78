import TestSupport
import Tributary
import TributaryStore

/// The model of the context tests: every kind of relationship, every delete rule, a sub-entity.
enum Company {
    static let classes: [ManagedObject.Type] = [Employee.self, Foreman.self, Department.self, Project.self, Badge.self]

    static func model() throws -> Model {
        try Model(version: "1", entities: definitions)
    }

    static var definitions: [EntityDefinition] {
        [employee, foreman, department, project, badge, locker, note]
    }

    /// A container on a store of its own, with a clock that stands still.
    static func open(
        _ folder: TemporaryFolder,
        model: Model? = nil,
        environment: StoreEnvironment = .system,
        clock: ManualClock = ManualClock(),
        merging: MergeOptions = .fixture
    ) async throws -> PersistentContainer {
        try await PersistentContainer.open(
            at: folder.path("store.sqlite"),
            "company",
            model: model ?? self.model(),
            classes: classes,
            environment: environment,
            merging: merging,
            clock: clock
        )
    }

    /// A container on a store in a folder that lasts as long as the caller holds it.
    static func open() async throws -> (TemporaryFolder, PersistentContainer) {
        let folder = try TemporaryFolder("company")
        return (folder, try await open(folder))
    }

    /// The kinds of store that behave alike.
    enum StoreKind: String, CaseIterable, Sendable {
        case file, memory
    }

    /// A container on a store of the kind given; the folder is for those that need one.
    static func open(
        _ kind: StoreKind,
        in folder: TemporaryFolder,
        sqlLog: SQLLog? = nil
    ) async throws -> PersistentContainer {
        var merging = MergeOptions()
        // Long, so that nothing is merged unless a test asks for it.
        merging.debounce = .seconds(3600)
        merging.ceiling = .seconds(3600)
        return try await PersistentContainer(
            name: "company",
            model: try model(),
            classes: classes,
            store: kind == .memory ? .memory : .file(folder.path("store.sqlite")),
            merging: merging,
            sqlLog: sqlLog
        )
    }

    static func open(_ kind: StoreKind, sqlLog: SQLLog? = nil) async throws -> (TemporaryFolder, PersistentContainer) {
        let folder = try TemporaryFolder("company")
        return (folder, try await open(kind, in: folder, sqlLog: sqlLog))
    }

    /// A container on a store in memory.
    static func openInMemory(classes: [ManagedObject.Type] = classes) async throws -> PersistentContainer {
        try await PersistentContainer(name: "company", model: try model(), classes: classes, store: .memory)
    }

    /// A container on the store in a folder, as another process opens it: with a clock that runs.
    static func open(at path: String, merging: MergeOptions = .fixture) async throws -> PersistentContainer {
        try await PersistentContainer.open(
            at: path + "/store.sqlite",
            "company",
            model: model(),
            classes: classes,
            merging: merging,
            clock: ContinuousClock()
        )
    }

    /// An employee that one context has named "Here" and not saved, and another has changed and saved: the first is in
    /// conflict when it saves.
    static func conflict(
        in container: PersistentContainer,
        name: String? = nil,
        change: @escaping @Sendable (Employee) -> Void = { $0.name = "There" }
    ) async throws -> (context: BackgroundContext, employee: ManagedObjectID) {
        let background = container.newBackgroundContext(name: name)
        let id = try await background.perform { context in
            let employee = try context.hire("Ann")
            try context.save()
            employee.name = "Here"
            return employee.objectID
        }
        try await container.performBackgroundTask { context in
            change(try context.existingObject(with: id, as: Employee.self))
            try context.save()
        }
        return (background, id)
    }

    /// The model with other delete rules, and without a bound for the number of projects.
    static func model(_ rules: GraphModel.Rules) throws -> Model {
        var definitions = definitions
        for entity in definitions.indices {
            for index in definitions[entity].relationships.indices {
                switch definitions[entity].relationships[index].name {
                case "employees": definitions[entity].relationships[index].deleteRule = rules.employees
                case "members": definitions[entity].relationships[index].deleteRule = rules.members
                case "projects":
                    definitions[entity].relationships[index].deleteRule = rules.projects
                    definitions[entity].relationships[index].maximumCount = 0
                default: continue
                }
            }
        }
        return try Model(version: "1", entities: definitions)
    }

    private static func attribute(
        _ name: String,
        _ type: AttributeType,
        optional: Bool = true,
        _ change: (inout Attribute) -> Void = { _ in }
    ) -> Attribute {
        var attribute = Attribute(name: name, type: type)
        attribute.isOptional = optional
        change(&attribute)
        return attribute
    }

    private static func relationship(
        _ name: String,
        _ destination: String,
        inverse: String? = nil,
        toMany: Bool = false,
        _ change: (inout Relationship) -> Void = { _ in }
    ) -> Relationship {
        var relationship = Relationship(name: name, destination: destination, inverse: inverse)
        relationship.isToMany = toMany
        relationship.isOptional = true
        change(&relationship)
        return relationship
    }

    private static var employee: EntityDefinition {
        var entity = EntityDefinition(name: "Employee")
        entity.attributes = [
            attribute("name", .string, optional: false) { $0.maximum = .integer(20) },
            attribute("salary", .double) { $0.minimum = .double(0) },
            attribute("age", .integer16, optional: false) { $0.defaultValue = .integer(30) },
            attribute("code", .string) { $0.regularExpression = "[A-Z]{2}[0-9]+" },
            attribute("mood", .string) { $0.isTransient = true },
            attribute("visits", .integer64) {
                $0.mergeRule = .counter
                $0.defaultValue = .integer(0)
            },
        ]
        entity.relationships = [
            relationship("department", "Department", inverse: "employees"),
            relationship("projects", "Project", inverse: "members", toMany: true) { $0.maximumCount = 3 },
            relationship("badge", "Badge", inverse: "owner") { $0.deleteRule = .cascade },
            relationship("lockers", "Locker", inverse: "holder", toMany: true) { $0.deleteRule = .deny },
            relationship("notes", "Note", inverse: "writer", toMany: true) { $0.deleteRule = .noAction },
        ]
        return entity
    }

    private static var foreman: EntityDefinition {
        var entity = EntityDefinition(name: "Foreman")
        entity.parent = "Employee"
        entity.attributes = [attribute("bonus", .double)]
        return entity
    }

    private static var department: EntityDefinition {
        var entity = EntityDefinition(name: "Department")
        entity.attributes = [attribute("title", .string)]
        entity.relationships = [relationship("employees", "Employee", inverse: "department", toMany: true)]
        return entity
    }

    private static var project: EntityDefinition {
        var entity = EntityDefinition(name: "Project")
        entity.attributes = [attribute("title", .string)]
        entity.relationships = [relationship("members", "Employee", inverse: "projects", toMany: true)]
        return entity
    }

    private static var badge: EntityDefinition {
        var entity = EntityDefinition(name: "Badge")
        entity.attributes = [attribute("number", .integer64)]
        entity.relationships = [relationship("owner", "Employee", inverse: "badge")]
        return entity
    }

    private static var locker: EntityDefinition {
        var entity = EntityDefinition(name: "Locker")
        entity.relationships = [relationship("holder", "Employee", inverse: "lockers")]
        return entity
    }

    private static var note: EntityDefinition {
        var entity = EntityDefinition(name: "Note")
        entity.relationships = [relationship("writer", "Employee", inverse: "notes")]
        return entity
    }
}
