import Foundation
import Testing

extension StoryMachine {
    /// The number of rounds after which waiting is given up.
    private static let rounds = 100

    /// The segments, the baselines with what stores have found in them, and the blobs in the log folder, by their path below it.
    func files() -> Set<String> {
        let files = FileManager.default.enumerator(atPath: path(logs))?.compactMap { $0 as? String } ?? []
        return Set(
            files.filter {
                !$0.hasPrefix(".") && $0.wholeMatch(of: /.+(\.tlog|\.baseline|\.comparison|blobs\/[0-9a-f]{64})/) != nil
            }
        )
    }

    /// Carries what is in one log folder and not in another, as a replicator does: whole files, which it never overwrites
    /// or deletes.
    static func replicate(_ machines: [StoryMachine]) throws {
        for source in machines {
            for target in machines where target !== source {
                for file in source.files().subtracting(target.files()) { try source.carry(file, to: target) }
            }
        }
    }

    /// Carries one file of the log folder, unless a compaction has removed it since it was listed, or the other machine has
    /// written it itself in the meantime.
    func carry(_ file: String, to target: StoryMachine) throws {
        let place = target.path(target.logs) + "/" + file
        let folder = (place as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let part = folder + "/.carried.tmp"
        do {
            try FileManager.default.copyItem(atPath: path(logs) + "/" + file, toPath: part)
        } catch  where !files().contains(file) {
            // A copy that has begun reports the missing file with another code than a copy that has not.
            try? FileManager.default.removeItem(atPath: part)
            return
        }
        do {
            try FileManager.default.moveItem(atPath: part, toPath: place)
        } catch let error as CocoaError where error.code == .fileWriteFileExists {
            try FileManager.default.removeItem(atPath: part)
        }
    }

    /// Replicates and synchronizes until the digests are equal and nothing is on the way, then types what the article says
    /// about digests.
    static func expectEqualDigests(_ machines: [StoryMachine]) async throws {
        try await until("the digests are equal", machines) {
            try replicate(machines)
            var states: Set<String> = []
            for machine in machines {
                try await machine.sync()
                states.insert(try await machine.digest())
            }
            return states.count == 1
        }
        let page = try StoryPage.stories()
        var lines: Set<Substring> = []
        for machine in machines {
            let output = try await machine.run(page, "digest")
            lines.formUnion(output.split(separator: "\n").filter { $0.wholeMatch(of: /[0-9a-f]{64}/) != nil })
        }
        #expect(lines.count == 1, "\(lines)")
    }

    /// Asks again until the condition holds; each round is work of the daemons.
    static func until(
        _ what: String,
        _ machines: [StoryMachine],
        _ holds: () async throws -> Bool
    ) async throws {
        for _ in 0..<rounds {
            if try await holds() { return }
        }
        var texts: [String] = []
        for machine in machines {
            texts.append(
                "\(machine.name): \(try await machine.type("tributaryctl status").output)\n\(machine.daemon.log)"
            )
        }
        Issue.record("never: \(what)\n\(texts.joined(separator: "\n"))")
        throw CancellationError()
    }
}
