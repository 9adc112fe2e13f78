import Foundation

/// Compiles Swift files against the modules of this build.
package struct SwiftCompiler: Sendable {
    package struct NoCompiler: Error {}

    package static let features = [
        "ExistentialAny", "MemberImportVisibility", "InternalImportsByDefault", "NonisolatedNonsendingByDefault",
    ]
    private let compiler: String

    package init() throws {
        let places = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
        guard let compiler = places.map({ "\($0)/swiftc" }).first(where: FileManager.default.isExecutableFile) else {
            throw NoCompiler()
        }
        self.compiler = compiler
    }

    /// The compiler's errors and warnings about the files as one module; empty when there are none.
    package func complaints(aboutFilesIn folder: TemporaryFolder) async throws -> String {
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
        let errors = folder.path("errors.txt")
        let arguments =
            ["-wmo", "-emit-sil", "-o", "/dev/null", "-swift-version", "6", "-parse-as-library"]
            + ["-module-name", "Generated", "-I", "\(BuildFolder.path)/Modules"]
            + SwiftCompiler.features.flatMap { ["-enable-upcoming-feature", $0] }
            + SwiftCompiler.moduleMaps().flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
        let process = try ChildProcess(compiler, arguments + files.sorted().map(folder.path), errors: errors)
        let ending = await process.ending()
        let text = (try? String(contentsOfFile: errors, encoding: .utf8)) ?? ""
        return ending == .exited(0) && !text.contains("warning:") ? "" : "\(ending) \(text)"
    }

    /// The compiler's errors in the files as one module, one line each.
    ///
    /// The files can use the package's internal declarations.
    package func errors(inFilesOf folder: TemporaryFolder) async throws -> [String] {
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
        let errors = folder.path("errors.txt")
        let package = (PackageFolder.path as NSString).lastPathComponent.lowercased()
        let arguments =
            ["-wmo", "-emit-sil", "-o", "/dev/null", "-swift-version", "6", "-parse-as-library"]
            + ["-module-name", "Snippets", "-package-name", package, "-I", "\(BuildFolder.path)/Modules"]
            + SwiftCompiler.features.flatMap { ["-enable-upcoming-feature", $0] }
            + SwiftCompiler.moduleMaps().flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
        let process = try ChildProcess(compiler, arguments + files.sorted().map(folder.path), errors: errors)
        let ending = await process.ending()
        let text = (try? String(contentsOfFile: errors, encoding: .utf8)) ?? ""
        let found = text.components(separatedBy: "\n").filter { $0.contains(": error: ") }
        return ending == .exited(0) || !found.isEmpty ? found : ["\(ending) \(text)"]
    }

    /// The C modules that the library's modules import: those that the build wrote, and those of built packages.
    package static func moduleMaps() -> [String] {
        let files = FileManager.default
        func folders(_ path: String) -> [String] {
            ((try? files.contentsOfDirectory(atPath: path)) ?? []).sorted().map { "\(path)/\($0)" }
        }
        let built = folders(BuildFolder.path).filter { $0.hasSuffix(".build") }
        let targets = Set(built.map { ($0 as NSString).lastPathComponent })
        let scratch = URL(fileURLWithPath: BuildFolder.path).deletingLastPathComponent().deletingLastPathComponent()
            .path
        let sources =
            folders(PackageFolder.path("Sources"))
            + folders("\(scratch)/checkouts").flatMap { folders("\($0)/Sources") }
        let candidates =
            built.map { "\($0)/module.modulemap" } + sources.map { "\($0)/module.modulemap" }
            + sources.filter { targets.contains(($0 as NSString).lastPathComponent + ".build") }
            .map { "\($0)/include/module.modulemap" }
        return candidates.filter(files.fileExists)
    }
}
