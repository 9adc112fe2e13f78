import CLinux
import Foundation
import Glibc
import Logging
import TributaryAdmin
import TributaryStore

package struct DaemonLaunch {
    package enum Mode: Hashable, Sendable {
        case serve
        case checkConfiguration
        case doctor
        case moveStore(to: String)
        case demo
        case listSettings
        case openAPI
    }

    package static let version = TributaryVersion.current

    private let sources: ConfigurationSources

    package init(flags: [String: String], file: String?) {
        let environment = ProcessInfo.processInfo.environment
        sources = ConfigurationSources(
            flags: flags,
            file: file,
            environment: environment,
            hostName: DaemonLaunch.hostName(),
            workingDirectory: FileManager.default.currentDirectoryPath,
            inheritedSocket: InheritedSocket.path(in: environment)
        )
    }

    /// Called before the program has another thread, because each thread would get its own arena of the heap.
    package static func prepare() {
        ExitStatus.endUnlessFilesSuffice(64, for: "tributaryd")
        clinux_keep_heap_small()
    }

    package func run(_ mode: Mode) async -> Int32 {
        SQLiteMemory.disableAccounting()
        let level = LogLevelSetting()
        let logger = DaemonLogging.makeLogger(environment: sources.environment, setting: level)
        let daemon = Daemon(sources: sources, logLevel: level, logger: logger)
        let socket = mode == .serve ? InheritedSocket.copy(in: sources.environment) : nil
        do {
            switch mode {
            case .serve: return try await daemon.run().rawValue
            case .checkConfiguration:
                for line in try daemon.checkConfiguration() { Self.printLine(line, to: 1) }
                return ExitStatus.done.rawValue
            case .doctor:
                var doctor = try Doctor(daemon)
                let report = await doctor.examine()
                Self.printLine(try Self.json(report), to: 1)
                return (report.hasProblems ? ExitStatus.badConfiguration : .done).rawValue
            case .moveStore(let folder):
                try StoreMove(daemon, to: folder).run { Self.printLine($0, to: 1) }
                return ExitStatus.done.rawValue
            case .demo:
                let areEqual = try await Demo(page: DemoPage { line in Self.printLine(line, to: 1) }).run()
                return areEqual ? ExitStatus.done.rawValue : ExitStatus.internalError.rawValue
            case .listSettings:
                Self.printLine(try Self.json(SettingDescription.all), to: 1)
                return ExitStatus.done.rawValue
            case .openAPI:
                Self.printLine(try InterfaceDocument.text.get(), to: 1)
                return ExitStatus.done.rawValue
            }
        } catch {
            let status = report(error, mode: mode, logger: logger)
            if let socket {
                let path = sources.inheritedSocket ?? "the admin socket"
                let hint = ServiceUnit.current?.journalCommand
                let problem = ProblemDocument(
                    .startFailed,
                    detail: "the daemon of \(path) cannot start: \(error)",
                    hint: hint
                )
                InheritedSocket.refuseWaitingClients(problem, at: socket)
            }
            return status
        }
    }

    private func report(_ error: any Error, mode: Mode, logger: Logger) -> Int32 {
        let status =
            switch error {
            case let error as ConfigurationError: error.status
            case let failure as StartFailure: failure.status
            default: ExitStatus.internalError
            }
        if mode == .serve {
            // Without metadata, which would follow the text in its line: many of these errors end with a command to type.
            for line in "\(error)".split(separator: "\n") { logger.critical("\(line)") }
        } else {
            Self.printLine("tributaryd: \(error)", to: 2)
        }
        return status.rawValue
    }

    private static func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// Removes control characters, because the argument parser repeats arguments as they are.
    package static func complain(_ message: String) {
        for line in EscapedText.lines(message) { printLine(line, to: 2) }
    }

    private static func printLine(_ text: String, to descriptor: Int32) {
        let bytes = Array((text + "\n").utf8)
        _ = write(descriptor, bytes, bytes.count)
    }

    static func hostName() -> String {
        var name = [UInt8](repeating: 0, count: 256)
        let status = name.withUnsafeMutableBytes { buffer in
            buffer.bindMemory(to: CChar.self).baseAddress.map { gethostname($0, buffer.count - 1) } ?? -1
        }
        let text = String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
        return status == 0 && !text.isEmpty ? text : "tributary"
    }
}
