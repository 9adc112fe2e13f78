import ArgumentParser
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryClient

struct ObjectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "object",
        abstract: "Read and change objects.",
        subcommands: [
            ObjectListCommand.command, ObjectGetCommand.command, ObjectInsertCommand.command,
            ObjectUpdateCommand.command, ObjectLinkCommand.command, ObjectUnlinkCommand.command,
            ObjectDeleteCommand.command,
        ]
    )
}

struct ObjectListCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Fetch objects of an entity and those below it.",
        aliases: ["ls"]
    )

    @Argument(help: "The entity's name.")
    var entity: String

    // A predicate and sort keys may start with a dash.
    @Option(
        name: .customLong("where"),
        parsing: .unconditional,
        help: ArgumentHelp("Such as \"salary > 1000\".", valueName: "predicate")
    )
    var predicate: String?

    @Option(parsing: .unconditional, help: ArgumentHelp("Such as name,-salary.", valueName: "keys"))
    var sort: String?

    @Flag(help: "Only the number of objects.")
    var count = false

    @Option(help: ArgumentHelp("Relationships to list as well.", valueName: "names"))
    var include: String?

    @OptionGroup var page: PageOptions

    func run(with session: Session) async throws {
        let call = AdminCall(
            .get,
            .objects,
            entity,
            query: [
                ("where", predicate), ("sort", sort), ("count", count ? "true" : nil), ("include", include),
            ] + page.query
        )
        let response: AdminResponse
        do {
            response = try await session.call(call)
        } catch let problem as ProblemDocument {
            let text = problem.type == ProblemKind.badPredicate.type ? predicate : sort
            throw text.flatMap { LocatedProblem(problem, in: $0) } ?? problem as any Error
        }
        try session.show(response) {
            let value = try response.json()
            if count { return session.terminal.print(value["count"]?.text ?? "0") }
            guard let objects = value.elements("objects") else { return }
            let none = "no \(EscapedText.escape(entity))" + (predicate == nil ? "" : " fits")
            ObjectTable(objects: objects).print(on: session.terminal, none: none)
            PageOptions.printNext(value.shown("next"), on: session.terminal)
        }
    }
}

struct ObjectGetCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Show one object with its links.",
        discussion: "With --json it has the to-many relationships that --include names.",
        aliases: ["show"]
    )

    @Argument(help: "The entity's name.")
    var entity: String

    @Argument(help: "The object's UUID, or its first characters, at least 8.")
    var id: String

    @Option(help: ArgumentHelp("Relationships to list as well.", valueName: "names"))
    var include: String?

    @OptionGroup var page: PageOptions

    func run(with session: Session) async throws {
        var include = include
        if include == nil, !session.json { include = try await session.model().toManyNames(of: entity) }
        let call = AdminCall(.get, .object, entity, id, query: [("include", include)] + page.query)
        let response = try await session.call(call)
        try session.show(response) {
            let object = try response.json()
            ObjectTable.print(object, on: session.terminal)
            PageOptions.printNext(object.shown("next"), on: session.terminal)
        }
    }
}

struct ObjectInsertCommand: DaemonCommand {
    static let configuration = CommandConfiguration(commandName: "insert", abstract: "Make an object and print its ID.")

    @Argument(help: "The entity's name.")
    var entity: String

    @Argument(help: PropertyArgument.help)
    var properties: [PropertyArgument] = []

    @Option(help: ArgumentHelp("The object's UUID; by default a new one.", valueName: "uuid"))
    var id: String?

    func run(with session: Session) async throws {
        let values = try await session.values(of: properties, entity: entity)
        let id = id.map(JSONValue.string)
        try await session.send([.members(["insert": .string(entity), "id": id, "values": values])])
    }
}

struct ObjectOptions: ParsableArguments {
    @Argument(help: "The entity's name.")
    var entity: String

    @Argument(help: "The object's UUID, or its first characters, at least 8.")
    var id: String

    @Option(help: ArgumentHelp("Only if the object is still at this version.", valueName: "version"))
    var ifVersion: Int64?

    func update(_ id: String, _ values: JSONValue) -> JSONValue {
        .members([
            "update": .string(entity), "id": .string(id), "ifVersion": ifVersion.map(JSONValue.integer),
            "values": values,
        ])
    }

    func links(
        _ kind: String,
        _ id: String,
        _ relationship: String,
        _ others: [String],
        in session: Session
    ) async throws -> JSONValue {
        var ids: [String] = []
        for other in others {
            ids.append(
                try await session.objectID(other) { try await session.model().destination(of: relationship, entity) }
            )
        }
        return .members([
            kind: .string(entity), "id": .string(id), "ifVersion": ifVersion.map(JSONValue.integer),
            "to": .string(relationship), "ids": .array(ids.map(JSONValue.string)),
        ])
    }
}

struct ObjectUpdateCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Change an object's values and links."
    )

    @OptionGroup var object: ObjectOptions

    @Argument(help: PropertyArgument.help)
    var properties: [PropertyArgument] = []

    @Option(help: ArgumentHelp("Add to a to-many relationship: name=UUID,UUID.", valueName: "links"))
    var link: [PropertyArgument] = []

    @Option(help: ArgumentHelp("Take out of a to-many relationship: name=UUID,UUID.", valueName: "links"))
    var unlink: [PropertyArgument] = []

    func run(with session: Session) async throws {
        let id = try await session.objectID(object.id) { object.entity }
        var changes: [JSONValue] = []
        if !properties.isEmpty || (link.isEmpty && unlink.isEmpty) {
            let values = try await session.values(of: properties, entity: object.entity)
            changes.append(object.update(id, values))
        }
        for (kind, arguments) in [("link", link), ("unlink", unlink)] {
            for argument in arguments {
                let others = argument.text.split(separator: ",").map(String.init)
                changes.append(try await object.links(kind, id, argument.name, others, in: session))
            }
        }
        try await session.send(changes)
    }
}

struct LinkOptions: ParsableArguments {
    @OptionGroup var object: ObjectOptions

    @Argument(help: "The relationship's name.")
    var relationship: String

    @Argument(help: "The UUIDs of the objects to add or to take out, or their first characters.")
    var others: [String]

    fileprivate func send(_ kind: String, with session: Session) async throws {
        let id = try await session.objectID(object.id) { object.entity }
        try await session.send([try await object.links(kind, id, relationship, others, in: session)])
    }
}

struct ObjectLinkCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "link",
        abstract: "Add objects to a to-many relationship of an object."
    )

    @OptionGroup var links: LinkOptions

    func run(with session: Session) async throws { try await links.send("link", with: session) }
}

struct ObjectUnlinkCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlink",
        abstract: "Take objects out of a to-many relationship of an object."
    )

    @OptionGroup var links: LinkOptions

    func run(with session: Session) async throws { try await links.send("unlink", with: session) }
}

struct ObjectDeleteCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete objects; the model's delete rules apply.",
        aliases: ["rm"]
    )

    @Argument(help: "The entity's name.")
    var entity: String

    @Argument(help: "The objects' UUIDs, or their first characters, at least 8.")
    var ids: [String]

    @Option(help: ArgumentHelp("Only if the objects are still at this version.", valueName: "version"))
    var ifVersion: Int64?

    func run(with session: Session) async throws {
        var changes: [JSONValue] = []
        for given in ids {
            let id = try await session.objectID(given) { entity }
            changes.append(
                .members([
                    "delete": .string(entity), "id": .string(id), "ifVersion": ifVersion.map(JSONValue.integer),
                ])
            )
        }
        try await session.send(changes)
    }
}

extension Session {
    func model() async throws -> ModelMessage {
        try await call(AdminCall(.get, .model)).decode(ModelMessage.self)
    }

    /// The daemon completes an abbreviated ID, and refuses any other text.
    fileprivate func objectID(_ given: String, of entity: () async throws -> String?) async throws -> String {
        guard UniqueID(given) == nil, UniqueID.range(ofPrefix: given) != nil, let entity = try await entity() else {
            return given
        }
        return try await call(AdminCall(.get, .object, entity, given)).json().shown("id") ?? given
    }
}

extension ModelMessage {
    func lineage(of entity: String) -> [Entity] {
        var found: [Entity] = []
        while let next = entities.first(where: { $0.name == found.last.map { $0.parent ?? "" } ?? entity }) {
            found.append(next)
        }
        return found
    }

    /// Includes the entity's parents and children, as in a query.
    fileprivate func toManyNames(of entity: String) -> String? {
        let below = entities.filter { other in lineage(of: other.name).contains { $0.name == entity } }
        let names = (lineage(of: entity) + below).flatMap(\.relationships).filter(\.toMany).map(\.name)
        return names.isEmpty ? nil : Set(names).sorted().joined(separator: ",")
    }

    fileprivate func destination(of relationship: String, _ entity: String) -> String? {
        lineage(of: entity).flatMap(\.relationships).first { $0.name == relationship }?.destination
    }
}
