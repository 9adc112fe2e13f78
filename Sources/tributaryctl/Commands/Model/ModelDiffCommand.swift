import ArgumentParser
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryModel

struct ModelDiffCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Show how a store migrates from one model to another model, without a daemon.",
        discussion: """
            Lines that begin with a minus drop values. Lines that begin with an exclamation mark cannot be inferred, or \
            name derived attributes of B that cannot be computed: then nothing is migrated, and the status is 65.

            With --store it shows how the configured store would migrate to the given model, or else to the configured \
            model, with the number of values that it would lose. This is tributaryd --check-config, and ends \
            with 78 when the store cannot take the model.
            """
    )

    @Argument(help: ArgumentHelp("The older model: .xcdatamodeld, .xcdatamodel or .yaml.", valueName: "A"))
    var older: String?

    @Argument(help: ArgumentHelp("The newer model.", valueName: "B"))
    var newer: String?

    @Flag(help: "Compare the model of the configured store with B, or with the configured model.")
    var store = false

    @Option(help: ArgumentHelp("The configuration file that names the store.", valueName: "file"), completion: .file())
    var config: String?

    @OptionGroup var format: FormatOptions

    func validate() throws {
        if store, newer != nil { throw ValidationError("give at most one model with --store") }
        if store, json { throw ValidationError("--json compares two models") }
        if !store, older == nil || newer == nil { throw ValidationError("give two models, or --store") }
        if !store, config != nil { throw ValidationError("--config is for --store") }
    }

    func run(on terminal: Terminal) throws {
        guard !store, let older, let newer else { return try compareStore() }
        let (old, new) = (try Model(atPath: older), try Model(atPath: newer))
        let between = new.earlier.following(versionHash: old.versionHash) ?? []
        let inference = MigrationInference(from: old, through: between, to: new)
        if json {
            terminal.print(document(old, new, inference).text)
        } else {
            printText(old, new, inference, on: terminal)
        }
        guard inference.refusals.isEmpty, new.derivationProblems.isEmpty else { throw ExitStatus.badData }
    }

    /// Only the daemon's program reads stores.
    private func compareStore() throws {
        let arguments = (config.map { ["--config", $0] } ?? []) + (older.map { ["--model", $0] } ?? [])
        let status = try DaemonProgram.run(["--check-config"] + arguments)
        guard status == 0 else { throw ExitCode(status) }
    }

    private func printText(_ old: Model, _ new: Model, _ inference: MigrationInference, on terminal: Terminal) {
        terminal.print(EscapedText.escape("from version '\(old.version)' to '\(new.version)'"))
        for notice in new.circleNotices { terminal.print(EscapedText.escape("notice: \(notice)")) }
        let problems = new.derivationProblems
        if inference.changes.isEmpty, inference.refusals.isEmpty, problems.isEmpty {
            return terminal.print("the stores of the two models do not differ")
        }
        for change in inference.changes {
            terminal.print(EscapedText.escape("\(change.kind.dropsValues ? "-" : " ") \(change)"))
        }
        for refusal in inference.refusals { terminal.print(EscapedText.escape("! \(refusal)")) }
        for problem in problems { terminal.print(EscapedText.escape("! \(problem); \(DerivationProblem.understood)")) }
    }

    private func document(_ old: Model, _ new: Model, _ inference: MigrationInference) -> JSONValue {
        func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
        let changes = inference.changes.map { change in
            JSONValue.members([
                "change": .string(change.description), "entity": .string(change.entity),
                "property": text(change.property), "dropsValues": .boolean(change.kind.dropsValues),
            ])
        }
        let refusals = inference.refusals.map { refusal in
            JSONValue.members([
                "entity": .string(refusal.entity), "property": text(refusal.property),
                "reason": .string(refusal.reason), "help": .string(refusal.help),
            ])
        }
        let problems = new.derivationProblems.map { problem in
            JSONValue.members([
                "entity": .string(problem.entity), "property": .string(problem.attribute),
                "reason": .string(problem.description), "help": .string(DerivationProblem.understood),
            ])
        }
        return .members([
            "from": .string(old.version), "to": .string(new.version), "changes": .array(changes),
            "refusals": .array(refusals + problems),
            "notices": .array(new.circleNotices.map { .string($0) }),
        ])
    }
}

extension MigrationChange.Kind {
    fileprivate var dropsValues: Bool { self == .removeEntity || self == .removeProperty }
}
