import Foundation
import Logging
import Tributary
import TributaryModel
import TributarySync

/// Shows synchronization in a scratch folder: two peers with concurrent edits and a third-party writer end with equal
/// states.
struct Demo {
    private let page: DemoPage

    init(write: @escaping @Sendable (String) -> Void) {
        page = DemoPage(write: write)
    }

    /// Runs all scenes and removes the scratch folder; returns whether both peers have equal states.
    func run() async throws -> Bool {
        let folder = NSTemporaryDirectory() + "/tributary-demo-\(UUID().uuidString.lowercased().prefix(8))"
        let path = (folder as NSString).standardizingPath
        let logs = path + "/logs"
        try FileManager.default.createDirectory(atPath: logs, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: path) }
        page.title("Tributary: two tills, one folder, no server")
        page.printLine("Scratch folder: \(path)")

        let model = try DemoPeer.model()
        let north = try await DemoPeer(name: "north", folder: path, logs: logs, model: model)
        let south = try await DemoPeer(name: "south", folder: path, logs: logs, model: model)
        let story = DemoStory(page: page, north: north, south: south, logs: logs)
        let isEqual = try await withThrowingTaskGroup(of: Bool?.self) { group in
            for peer in [north, south] {
                group.addTask {
                    try await peer.sync.run()
                    return nil
                }
            }
            group.addTask { try await story.play() }
            group.addTask {
                try await Task.sleep(for: .seconds(120))
                throw DemoFailure(reason: "the demo took longer than two minutes")
            }
            defer { group.cancelAll() }
            while let result = try await group.next() {
                if let result { return result }
            }
            return false
        }
        for peer in [north, south] { try await peer.container.close() }
        page.printLine("")
        page.printLine("The scratch folder is removed. Next: README.md, \"Install it as a service\".")
        return isEqual
    }
}

struct DemoFailure: Error, CustomStringConvertible {
    var reason: String

    var description: String { reason }
}
