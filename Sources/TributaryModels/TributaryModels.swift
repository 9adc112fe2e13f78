import Foundation
import PackagePlugin

/// Generates the classes of each model in a target, whenever the model has changed.
///
/// The program contains the rules; this file only names its input and output for SwiftPM.
@main
struct TributaryModels: BuildToolPlugin {
    /// Determines the access level of the classes: see `GenerationSettings`.
    private static let settingsName = "tributary-models.json"

    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let module = target.sourceModule else { return [] }
        let files = module.sourceFiles.map(\.url)
        let settings = files.filter { $0.lastPathComponent == TributaryModels.settingsName }
        guard settings.count <= 1 else {
            Diagnostics.error("\(target.name) has \(settings.count) files \(TributaryModels.settingsName); keep one")
            return []
        }
        let tool = try context.tool(named: "tributary-models").url
        var outputs: [String: ModelFiles] = [:]
        return files.compactMap(ModelFiles.init).sorted { $0.path < $1.path }.compactMap { model in
            let name = "\(model.stem)Model.swift"
            if let other = outputs.updateValue(model, forKey: name.lowercased()) {
                Diagnostics.error(
                    "\(target.name) has two models with the same name, \(other.path) and \(model.path): rename one",
                    file: model.path
                )
                return nil
            }
            let output = context.pluginWorkDirectoryURL.appending(path: name)
            return .buildCommand(
                displayName: "Classes of \(model.url.lastPathComponent)",
                executable: tool,
                arguments: [model.path, output.path(percentEncoded: false)]
                    + settings.map { $0.path(percentEncoded: false) },
                inputFiles: model.inputs + settings,
                outputFiles: [output]
            )
        }
    }
}

private struct ModelFiles {
    let url: URL
    /// The model, and all files that it includes.
    let inputs: [URL]

    /// Nil for a file that is not a model.
    ///
    /// A YAML file without the word `entities` belongs to another tool.
    init?(_ url: URL) {
        switch url.pathExtension {
        case "xcdatamodeld", "xcdatamodel":
            inputs = [url] + ModelFiles.contents(of: url)
        case "yaml", "yml":
            guard let text = try? String(contentsOf: url, encoding: .utf8), !text.contains("entities") else {
                inputs = [url]
                break
            }
            Diagnostics.remark("no model: there are no 'entities' in it", file: url.path(percentEncoded: false))
            return nil
        default: return nil
        }
        self.url = url
    }

    var path: String { url.path(percentEncoded: false) }
    var stem: String { url.deletingPathExtension().lastPathComponent }

    private static func contents(of folder: URL) -> [URL] {
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.isRegularFileKey])
        return (files?.compactMap { $0 as? URL } ?? [])
            .filter { (try? $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true }
            .sorted { $0.path < $1.path }
    }
}
