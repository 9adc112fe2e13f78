import ArgumentParser
import Foundation
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryGeneration
import TributaryModel

struct ModelGenerateCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Write Swift classes with typed properties, keys and snapshots for a model, without a daemon.",
        discussion: """
            Writes a file for each entity, a file for each composite, and a file that lists the classes for \
            PersistentContainer. --output names the folder of the files; files with the same names are replaced. \
            Without it the files go to standard output, each after a line with its name. The same model gives the same \
            bytes.

            A character that a Swift name cannot have becomes an underscore. A name that is taken gets an underscore \
            at its end.
            """
    )

    @Argument(help: ArgumentHelp("The model: .xcdatamodeld, .xcdatamodel or .yaml.", valueName: "model"))
    var model: String

    @Option(
        help: ArgumentHelp("The folder to write to; standard output without it.", valueName: "dir"),
        completion: .directory
    )
    var output: String?

    @Option(help: "Who may use the classes: public or internal.")
    var access = AccessLevel.internal

    @Option(
        help: ArgumentHelp("The type that lists the classes; by default the file's name and Model.", valueName: "name")
    )
    var list: String?

    @Flag(help: "Give transformable attributes the class that the model names; it must be a FieldValue.")
    var transformableClasses = false

    @OptionGroup var format: FormatOptions

    func run(on terminal: Terminal) throws {
        let loaded = try Model(atPath: model)
        let file = URL(fileURLWithPath: model)
        let stem = file.deletingPathExtension().lastPathComponent
        var command = "tributaryctl model generate \(file.lastPathComponent)"
        if access != .internal { command += " --access \(access.rawValue)" }
        if let list { command += " --list \(list)" }
        if transformableClasses { command += " --transformable-classes" }
        let generator = ModelGenerator(
            loaded,
            options: GeneratorOptions(
                listName: list ?? "\(stem)Model",
                access: access,
                usesTransformableClasses: transformableClasses,
                command: command
            )
        )
        let files = generator.files()
        guard let output else { return print(files, on: terminal) }
        for file in files {
            // The name is printed first, because an existing file is replaced.
            if !json { terminal.print(EscapedText.escape("\(output)/\(file.name)")) }
            try write(file, to: output)
        }
        guard json else { return }
        let names = JSONValue.array(files.map { .string("\(output)/\($0.name)") })
        terminal.print(JSONValue.members(["files": names]).text)
    }

    private func print(_ files: [GeneratedFile], on terminal: Terminal) {
        guard json else {
            for file in files { terminal.print("// \(EscapedText.escape(file.name))\n\(file.text)") }
            return
        }
        let list = files.map { JSONValue.members(["name": .string($0.name), "text": .string($0.text)]) }
        terminal.print(JSONValue.members(["files": .array(list)]).text)
    }

    private func write(_ file: GeneratedFile, to output: String) throws {
        do {
            try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
            try Data(file.text.utf8).write(to: URL(fileURLWithPath: "\(output)/\(file.name)"), options: .atomic)
        } catch {
            throw CommandFailure(
                reason: "\(output)/\(file.name): it cannot be written: \(error.localizedDescription)",
                status: .inputOutput
            )
        }
    }
}

extension AccessLevel: ExpressibleByArgument {}
