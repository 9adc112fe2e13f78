import Foundation
import TestSupport

/// A machine that lives as long as one script: a real systemd with Tributary installed as the README says.
struct SystemdMachine {
    /// The output and the exit status of a script.
    struct Outcome {
        var status: Int32
        var output: String
        var errors: String

        /// The value of a line `key=value` that the script printed.
        subscript(key: String) -> String? {
            output.split(separator: "\n").last { $0.hasPrefix(key + "=") }.map { String($0.dropFirst(key.count + 1)) }
        }

        /// All there is to know when an expectation fails.
        var everything: String { "status \(status)\n--- output\n\(output)\n--- errors\n\(errors)" }
    }

    static let switchName = "TRIBUTARY_SYSTEMD_TESTS"
    static var isWanted: Bool { ProcessInfo.processInfo.environment[switchName] == "1" }

    /// The package's root folder.
    static let root = PackageFolder.path

    /// Why this machine cannot boot another, or nil when it can.
    static func reasonNotToBoot() async throws -> String? {
        let outcome = try await boot(["true"], shown: [], seconds: 60)
        return outcome.status == 77 ? outcome.errors : nil
    }

    /// Folders that the script sees read-only, by the place where it sees them.
    var folders: [String: String] = [:]

    /// Boots, installs, runs the script under `bash -eu`, and takes everything down again.
    func run(_ script: String, seconds: Int = 240) async throws -> Outcome {
        let shown =
            [
                "\(Self.root)/systemd:/mnt/tributary/systemd", "\(Self.root)/etc/tributary:/mnt/tributary/etc",
                "\(Self.root)/Tests/SystemdTests/machine.sh:/mnt/tributary/machine.sh",
                "\(BuildFolder.executable("tributaryd")):/usr/bin/tributaryd",
                "\(BuildFolder.executable("tributaryctl")):/usr/bin/tributaryctl",
            ] + folders.map { "\($0.value):\($0.key)" }
        let command = ["bash", "-euo", "pipefail", "-c", "source /mnt/tributary/machine.sh\n" + script]
        return try await Self.turnstile.pass { try await Self.boot(command, shown: shown, seconds: seconds) }
    }

    /// The limit keeps the watchdogs from ending services that only lack processor time.
    private static let turnstile = Turnstile(places: 3)

    private static func boot(_ command: [String], shown: [String], seconds: Int) async throws -> Outcome {
        let folder = try TemporaryFolder("systemd")
        let process = try ChildProcess(
            root + "/Tests/SystemdTests/boot-systemd",
            shown.flatMap { ["--read-only", $0] } + ["--timeout", "\(seconds)", "--"] + command,
            output: folder.path("output"),
            errors: folder.path("errors")
        )
        guard case .exited(let status) = await process.ending() else { throw Killed() }
        return Outcome(
            status: status,
            output: try String(contentsOfFile: folder.path("output"), encoding: .utf8),
            errors: try String(contentsOfFile: folder.path("errors"), encoding: .utf8)
        )
    }

    private struct Killed: Error {}
}
