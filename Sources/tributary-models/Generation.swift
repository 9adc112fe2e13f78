import Foundation
import TributaryGeneration
import TributaryModel

/// The program of the build plugin: `tributary-models MODEL OUTPUT [SETTINGS]` writes the classes of a model into one
/// Swift file.
///
/// Errors have the compiler's format, so that an editor shows them at their line.
@main
struct Generation {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count == 2 || arguments.count == 3 else {
            fail("usage: tributary-models MODEL OUTPUT [SETTINGS]")
        }
        do {
            let settings =
                arguments.count == 3
                ? try GenerationSettings(contentsOf: arguments[2]) : GenerationSettings()
            try write(try classes(ofModelAt: arguments[0], settings), to: arguments[1])
        } catch let failure as GenerationSettings.Failure {
            fail(failure.message)
        } catch let error as ModelError {
            fail(diagnostic(error, model: arguments[0]))
        } catch {
            fail("\(arguments[1]): error: the classes cannot be written: \(error.localizedDescription)")
        }
    }

    private static func classes(ofModelAt path: String, _ settings: GenerationSettings) throws(ModelError) -> String {
        let file = URL(fileURLWithPath: path)
        let stem = file.deletingPathExtension().lastPathComponent
        let listName = stem.prefix(1).uppercased() + stem.dropFirst() + "Model"
        let generator = ModelGenerator(
            try Model(contentsOf: path),
            options: GeneratorOptions(
                listName: listName,
                access: settings.access,
                usesTransformableClasses: settings.usesTransformableClasses,
                ownClasses: settings.ownClasses,
                command: "the plugin TributaryModels from \(file.lastPathComponent)"
            )
        )
        return generator.wholeFile(named: listName, embedding: try ModelSource(contentsOf: path)).text
    }

    /// Does not write an unchanged file, because the compiler looks at the time of the file.
    private static func write(_ text: String, to output: String) throws {
        let bytes = Data(text.utf8)
        let file = URL(fileURLWithPath: output)
        if let old = try? Data(contentsOf: file), old == bytes { return }
        try bytes.write(to: file, options: .atomic)
    }

    private static func diagnostic(_ error: ModelError, model: String) -> String {
        let position = [error.file ?? model, String(error.line ?? 1), error.column.map(String.init)]
        let reason = [error.element, error.reason].compactMap { $0 }.joined(separator: ": ")
        return position.compactMap { $0 }.joined(separator: ":") + ": error: " + reason
    }

    private static func fail(_ message: String) -> Never {
        FileHandle.standardError.write(Data((message + "\n").utf8))
        exit(1)
    }
}
