import TestSupport
import Tributary
import TributaryStore

/// The model of the context tests: every kind of relationship, every delete rule, a sub-entity.
enum Company {
    static let classes: [ManagedObject.Type] = [Employee.self, Foreman.self, Department.self, Project.self, Badge.self]

    static func model() throws -> Model { try Model(entities: entities()) }

    /// The model with other delete rules, and without a bound for the number of projects.
    static func model(_ rules: Rules) throws -> Model {
        try Model(
            entities: entities(
                projects: ", delete: \(rules.projects.rawValue)",
                members: rules.members.rawValue,
                employees: rules.employees.rawValue
            )
        )
    }

    /// The delete rules of the model.
    struct Rules: Sendable {
        var employees = DeleteRule.nullify
        var members = DeleteRule.nullify
        var projects = DeleteRule.nullify
    }

    static func entities(
        projects: String = ", max: 3",
        members: String = "Nullify",
        employees: String = "Nullify"
    ) -> String {
        """
        Employee:
          attributes:
            name: {type: String, max: 20}
            salary: {type: Double, optional: true, min: 0}
            age: {type: Integer 16, default: 30}
            code: {type: String, optional: true, pattern: "[A-Z]{2}[0-9]+"}
            mood: {type: String, optional: true, transient: true}
            visits: {type: Integer 64, optional: true, merge: counter, default: 0}
          relationships:
            department: {to: Department?, inverse: employees}
            projects: {to: Project, many: true, inverse: members\(projects)}
            badge: {to: Badge?, inverse: owner, delete: Cascade}
            lockers: {to: Locker, many: true, inverse: holder, delete: Deny}
            notes: {to: Note, many: true, inverse: writer, delete: No Action}
        Foreman: {parent: Employee, attributes: {bonus: Double?}}
        Department:
          attributes: {title: String?}
          relationships: {employees: {to: Employee, many: true, inverse: department, delete: \(employees)}}
        Project:
          attributes: {title: String?}
          relationships: {members: {to: Employee, many: true, inverse: projects, delete: \(members)}}
        Badge: {attributes: {number: Integer 64?}, relationships: {owner: {to: Employee?, inverse: badge}}}
        Locker: {relationships: {holder: {to: Employee?, inverse: lockers}}}
        Note: {relationships: {writer: {to: Employee?, inverse: notes}}}
        """
    }

    /// A container on a store of its own, with a clock that stands still.
    static func open(
        _ folder: TemporaryFolder,
        model: Model? = nil,
        classes: [ManagedObject.Type] = classes,
        environment: StoreEnvironment = .system,
        merging: MergeOptions = .fixture
    ) async throws -> PersistentContainer {
        try await PersistentContainer.open(
            at: folder.path("store.sqlite"),
            "company",
            model: model ?? self.model(),
            classes: classes,
            environment: environment,
            merging: merging
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
        try await PersistentContainer(
            name: "company",
            model: try model(),
            classes: classes,
            store: kind == .memory ? .memory : .file(folder.path("store.sqlite")),
            merging: .onRequest,
            sqlLog: sqlLog
        )
    }

    static func open(_ kind: StoreKind, sqlLog: SQLLog? = nil) async throws -> (TemporaryFolder, PersistentContainer) {
        let folder = try TemporaryFolder("company")
        return (folder, try await open(kind, in: folder, sqlLog: sqlLog))
    }

    /// A container on a store in memory.
    static func openInMemory(
        classes: [ManagedObject.Type] = classes,
        merging: MergeOptions = MergeOptions()
    ) async throws -> PersistentContainer {
        try await PersistentContainer(
            name: "company",
            model: try model(),
            classes: classes,
            store: .memory,
            merging: merging
        )
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
            let employee = try context.hireAndSave("Ann")
            employee.name = "Here"
            return employee.objectID
        }
        try await container.change(id, change)
        return (background, id)
    }
}
