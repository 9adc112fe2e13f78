import Foundation

/// Builds the documentation of a module that belongs to this build.
package struct DocumentationBuild: Sendable {
    private let tools: String

    /// Finds the toolchain's `docc`; nil where there is none.
    package init?() {
        let places = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
        let tools = places.first { place in
            ["docc", "swift-symbolgraph-extract"].allSatisfy {
                FileManager.default.isExecutableFile(atPath: "\(place)/\($0)")
            }
        }
        guard let tools else { return nil }
        self.tools = String(tools)
    }

    package static let modules: [String] = {
        let files = FileManager.default
        let sources = (try? files.contentsOfDirectory(atPath: PackageFolder.path("Sources"))) ?? []
        return sources.sorted().filter { module in
            files.fileExists(atPath: PackageFolder.path("Sources/\(module)/\(module).docc"))
                && files.fileExists(atPath: "\(BuildFolder.path)/Modules/\(module).swiftmodule")
        }
    }()

    /// The warnings and errors about the module's articles and doc comments, such as a link without a target; empty
    /// when there are none.
    package func complaints(about module: String) async throws -> String {
        let folder = try TemporaryFolder("documentation")
        let graphs = folder.path("graphs")
        if let complaint = try await extract(module, to: graphs, folder) { return complaint }
        let conversion = try ChildProcess(
            "\(tools)/docc",
            [
                "convert", PackageFolder.path("Sources/\(module)/\(module).docc"),
                "--additional-symbol-graph-dir", graphs, "--output-path", folder.path("out"),
                "--fallback-display-name", module, "--fallback-bundle-identifier", module,
            ],
            errors: folder.path("conversion.txt")
        )
        let end = await conversion.ending()
        let said = text("conversion.txt", folder)
        return end == .exited(0) && !said.contains("warning:") && !said.contains("error:") ? "" : "\(end) \(said)"
    }

    /// The public symbols of a module and its extensions, as `Type` and `Type.member(label:)`.
    package func symbols(of module: String) async throws -> Set<String> {
        struct Graph: Decodable {
            struct Symbol: Decodable { var pathComponents: [String] }
            var symbols: [Symbol]
        }
        let folder = try TemporaryFolder("symbols")
        _ = try await extract(module, to: folder.path("graphs"), folder)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path("graphs"))
        return try files.filter { $0.hasSuffix(".symbols.json") }.reduce(into: []) { found, file in
            let data = try Data(contentsOf: URL(fileURLWithPath: folder.path("graphs/\(file)")))
            let symbols = try JSONDecoder().decode(Graph.self, from: data).symbols
            found.formUnion(symbols.map { $0.pathComponents.joined(separator: ".") })
        }
    }

    private func extract(_ module: String, to graphs: String, _ folder: TemporaryFolder) async throws -> String? {
        try FileManager.default.createDirectory(atPath: graphs, withIntermediateDirectories: true)
        let maps = SwiftCompiler.moduleMaps().flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
        let extraction = try ChildProcess(
            "\(tools)/swift-symbolgraph-extract",
            [
                "-module-name", module, "-I", "\(BuildFolder.path)/Modules", "-target", try await target(folder),
                "-output-dir", graphs, "-minimum-access-level", "public",
            ] + maps,
            errors: folder.path("extraction.txt")
        )
        // The extraction may end with an error about a lower module and have written all symbols.
        let ending = await extraction.ending()
        guard !FileManager.default.fileExists(atPath: "\(graphs)/\(module).symbols.json") else { return nil }
        return "\(ending) \(text("extraction.txt", folder))"
    }

    private func target(_ folder: TemporaryFolder) async throws -> String {
        struct Information: Decodable {
            struct Target: Decodable { var triple: String }
            var target: Target
        }
        let process = try ChildProcess(
            "\(tools)/swiftc",
            ["-print-target-info"],
            output: folder.path("target.json")
        )
        _ = await process.ending()
        let data = Data(text("target.json", folder).utf8)
        return try JSONDecoder().decode(Information.self, from: data).target.triple
    }

    private func text(_ file: String, _ folder: TemporaryFolder) -> String {
        (try? String(contentsOfFile: folder.path(file), encoding: .utf8)) ?? ""
    }
}
