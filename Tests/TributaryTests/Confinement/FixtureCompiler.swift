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
            ["-wmo", "-emit-sil", "-o", "/dev/null", "-parse-as-library"]
            + ["-module-name", "Fixture", "-I", "\(BuildFolder.path)/Modules"]
            + SwiftCompiler.features.flatMap { ["-enable-upcoming-feature", $0] }
            + SwiftCompiler.moduleMaps().flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
    }

    func compile(_ path: String, isMisuse: Bool) async throws -> Answer {
        let (answer, _) = try await run(path, isMisuse: isMisuse, languageMode: 6)
        return answer
    }

    /// The lines with warnings of a file that the compiler accepts; nil when it does not.
    func warnings(of path: String, languageMode: Int) async throws -> [Int]? {
        let (answer, warnings) = try await run(path, isMisuse: false, languageMode: languageMode)
        return answer == .accepted ? warnings : nil
    }

    private func run(_ path: String, isMisuse: Bool, languageMode: Int) async throws -> (Answer, warnings: [Int]) {
        let name = (path as NSString).lastPathComponent
        let shared = PackageFolder.path("Tests/TributaryTests/Misuse/Classes.swift")
        let errors = scratch.path("\(name)-\(isMisuse).txt")
        let process = try ChildProcess(
            compiler,
            arguments + ["-swift-version", "\(languageMode)"] + (isMisuse ? ["-D", "MISUSE"] : []) + [shared, path],
            errors: errors
        )
        let ending = await process.ending()
        let text = (try? String(contentsOfFile: errors, encoding: .utf8)) ?? ""
        let messages = text.components(separatedBy: "\n")
        func lines(of kind: String) -> [Int] {
            let lines = messages.compactMap { message -> Int? in
                guard message.hasPrefix(path + ":"), message.contains(": \(kind): ") else { return nil }
                return message.dropFirst(path.count + 1).split(separator: ":").first.flatMap { Int($0) }
            }
            return Set(lines).sorted()
        }
        if ending == .exited(0) { return (.accepted, lines(of: "warning")) }
        let errorsOnly = messages.filter { $0.contains(": error: ") }
        let answer = Answer.rejected(lines: lines(of: "error"), text: "\(ending) \(errorsOnly.joined(separator: "; "))")
        return (answer, lines(of: "warning"))
    }
}
