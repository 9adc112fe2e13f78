import Foundation
import TestSupport

/// Compiles a source file against the library that this test run was built with.
struct FixtureCompiler: Sendable {
    enum Answer: Equatable, CustomStringConvertible {
        case accepted
        /// The lines of the fixture with errors, and what the compiler said.
        case rejected(lines: [Int], text: String)

        var rejectedLines: [Int]? {
            guard case .rejected(let lines, _) = self else { return nil }
            return lines
        }

        var description: String {
            switch self {
            case .accepted: "accepted"
            case .rejected(let lines, let text): "rejected at \(lines): \(text)"
            }
        }
    }

    struct NoCompiler: Error {}

    private let compiler: String
    private let arguments: [String]
    private let scratch: TemporaryFolder

    init() throws {
        let places = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
        guard let compiler = places.map({ "\($0)/swiftc" }).first(where: FileManager.default.isExecutableFile) else {
            throw NoCompiler()
        }
        self.compiler = compiler
        scratch = try TemporaryFolder("misuse")
        arguments =
            ["-wmo", "-emit-sil", "-o", "/dev/null", "-swift-version", "6", "-suppress-warnings", "-parse-as-library"]
            + ["-module-name", "Fixture", "-I", "\(BuildFolder.path)/Modules"]
            + SwiftCompiler.features.flatMap { ["-enable-upcoming-feature", $0] }
            + SwiftCompiler.moduleMaps().flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
    }

    func compile(_ path: String, isMisuse: Bool) async throws -> Answer {
        let name = (path as NSString).lastPathComponent
        let shared = (path as NSString).deletingLastPathComponent + "/Classes.swift"
        let errors = scratch.path("\(name)-\(isMisuse).txt")
        let process = try ChildProcess(
            compiler,
            arguments + (isMisuse ? ["-D", "MISUSE"] : []) + [shared, path],
            errors: errors
        )
        let ending = await process.ending()
        if ending == .exited(0) { return .accepted }
        let text = (try? String(contentsOfFile: errors, encoding: .utf8)) ?? ""
        let messages = text.components(separatedBy: "\n").filter { $0.contains(": error: ") }
        let lines = messages.compactMap { message -> Int? in
            guard message.hasPrefix(path + ":") else { return nil }
            return message.dropFirst(path.count + 1).split(separator: ":").first.flatMap { Int($0) }
        }
        return .rejected(lines: Set(lines).sorted(), text: "\(ending) \(messages.joined(separator: "; "))")
    }
}
