import Foundation
import TransactionLog
import Tributary
import TributaryChanges
import TributaryModel
import TributaryStore
import TributarySync

/// Two peers with concurrent edits and a third-party writer end with equal states.
struct Demo {
    let page: DemoPage

    func run() async throws -> Bool {
        let folder = NSTemporaryDirectory() + "/tributary-demo-\(UUID().uuidString.lowercased().prefix(8))"
        let path = (folder as NSString).standardizingPath
        let logs = path + "/logs"
        try FileManager.default.createDirectory(atPath: logs, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: path) }
        page.title("Tributary: two tills, one folder, no server")
        page.write("Scratch folder: \(path)")

        let model = try DemoPeer.model()
        let north = try await DemoPeer(name: "north", folder: path, logs: logs, model: model)
        let south = try await DemoPeer(name: "south", folder: path, logs: logs, model: model)
        let story = Story(page: page, north: north, south: south, logs: logs)
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
        page.write("")
        page.write("The scratch folder is removed. Next: README.md, \"Install it as a service\".")
        return isEqual
    }
}

struct DemoFailure: Error, CustomStringConvertible {
    var reason: String

    var description: String { reason }
}

private struct Story: Sendable {
    let page: DemoPage
    let north: DemoPeer
    let south: DemoPeer
    let logs: String

    func play() async throws -> Bool {
        for peer in [north, south] { await peer.sync.started() }
        let products = try await openShop()
        try await changeTheSame(products)
        try await sellTheSame(products[1])
        try await readForeignSegment()
        try await deleteAndEdit(products[2])
        return try await prove()
    }

    private func openShop() async throws -> [ManagedObjectID] {
        page.scene(1, "North opens; south follows through the folder")
        let start = ContinuousClock.now
        let products = try await north.insert([("Coffee", "2.5", 40), ("Tea", "1.9", 60), ("Umbrella", "12", 3)])
        page.act("north", "saves three products on a background context", elapsed(since: start))
        try await south.waitUntil { $0.count == 3 }
        page.act("south", "shows them in its main context", elapsed(since: start))
        page.write("            (the timers: 1 s of quiet before a merge, 1 s before an export)")
        return products
    }

    private func changeTheSame(_ products: [ManagedObjectID]) async throws {
        page.scene(2, "The line is cut, and both change the same product")
        for peer in [north, south] { try await peer.sync.pause() }
        try await north.change(products[0], ["price": .decimal("2.8")])
        page.act("north", "sets the price of Coffee to 2.8")
        try await south.change(products[0], ["price": .decimal("2.6"), "name": .string("Coffee, large")])
        page.act("south", "sets it to 2.6, a moment later, and renames it to Coffee, large")
        for peer in [north, south] { try await peer.sync.resume() }
        page.act("both", "are on line again")
        for peer in [north, south] {
            try await peer.waitUntil { $0.contains { $0[0] == "Coffee, large" && $0[1] == "2.6" } }
        }
        try await printStates("each property has its latest write, on both")
    }

    private func sellTheSame(_ product: ManagedObjectID) async throws {
        page.scene(3, "Both sell Tea at the same time; stock is a counter")
        async let first: Void = north.sell(product, 3)
        async let second: Void = south.sell(product, 2)
        _ = try await (first, second)
        page.act("north", "sells 3 of 60")
        page.act("south", "sells 2 of 60")
        for peer in [north, south] { try await peer.waitUntil { $0.contains { $0[0] == "Tea" && $0[2] == "55" } } }
        try await printStates("no sale is lost")
    }

    private func readForeignSegment() async throws {
        page.scene(4, "Another program drops a segment into the folder")
        let start = ContinuousClock.now
        for line in try writeForeignSegment() { page.write("            \(line)") }
        for peer in [north, south] {
            try await peer.waitUntil { $0.contains { $0[0] == "Sandwich" } }
            page.act(peer.name, "shows it", elapsed(since: start))
        }
    }

    private func writeForeignSegment() throws -> [String] {
        let environment = StoreEnvironment.system
        let writer = environment.newID()
        let clock = HybridClock(environment.wallTime())
        let body = [
            #"{"tributary":1,"writer":"\#(writer)","first":1,"last":1,"previous":null}"#,
            #"{"transaction":1,"clock":"\#(clock)","changes":1}"#,
            #"{"insert":"Product","id":"\#(environment.newID())","#
                + #""values":{"name":"Sandwich","price":"4.2","stock":8}}"#,
        ]
        let bytes = Array((body.joined(separator: "\n") + "\n").utf8)
        let end = #"{"end":1,"transactions":1,"changes":1,"sha256":"\#(SegmentEnd.sha256(of: bytes))"}"#
        let folder = "\(logs)/\(writer)"
        let staged = "\(logs)/.staging/\(writer).part"
        for path in [folder, "\(logs)/.staging"] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        try Data(bytes + Array((end + "\n").utf8)).write(to: URL(fileURLWithPath: staged))
        let name = "\(hexadecimal16(1))-\(hexadecimal16(1)).tlog"
        try FileManager.default.moveItem(atPath: staged, toPath: "\(folder)/\(name)")
        return body + [end]
    }

    private func deleteAndEdit(_ product: ManagedObjectID) async throws {
        page.scene(5, "North deletes what south is editing")
        for peer in [north, south] { try await peer.sync.pause() }
        try await south.change(product, ["price": .decimal("9")])
        page.act("south", "sets the price of Umbrella to 9")
        try await north.delete(product)
        page.act("north", "deletes Umbrella")
        for peer in [north, south] { try await peer.sync.resume() }
        for peer in [north, south] { try await peer.waitUntil { !$0.contains { $0[0] == "Umbrella" } } }
        try await printStates("the delete wins over the edit, on both")
    }

    private func prove() async throws -> Bool {
        page.scene(6, "Both ended equal")
        // Each peer imports the other's exports until both have all changes.
        for peer in [north, south, north, south] { try await peer.exportAll() }
        let digests = try [north, south].map { try $0.digest() }
        for (peer, digest) in zip([north, south], digests) { page.act(peer.name, "digest \(digest.prefix(32))...") }
        let shown = try await (north.shown(), south.shown())
        let isEqual = digests[0] == digests[1] && shown.0 == shown.1
        page.write(isEqual ? "            Equal." : "            NOT EQUAL: this is a defect; please report it.")
        return isEqual
    }

    private func printStates(_ caption: String) async throws {
        page.table([["", "name", "price", "stock"]] + (try await rows(of: north)) + (try await rows(of: south)))
        page.write("            (\(caption))")
    }

    private func rows(of peer: DemoPeer) async throws -> [[String]] {
        try await peer.shown().map { [peer.name] + $0 }
    }

    private func elapsed(since start: ContinuousClock.Instant) -> String {
        let milliseconds = (ContinuousClock.now - start) / .milliseconds(1)
        return milliseconds < 100
            ? "after \(Int(milliseconds)) ms" : "after \((milliseconds / 100).rounded() / 10) s"
    }
}

struct DemoPage: Sendable {
    let write: @Sendable (String) -> Void

    func title(_ text: String) {
        write(text)
        write(String(repeating: "=", count: text.count))
    }

    func scene(_ number: Int, _ text: String) {
        write("")
        write("\(number). \(text)")
    }

    func act(_ peer: String, _ what: String, _ detail: String = "") {
        let line = "   \(DemoPage.pad(peer, 9))\(DemoPage.pad(what, 52))"
        write(detail.isEmpty ? DemoPage.trimmed(line) : line + detail)
    }

    func table(_ rows: [[String]]) {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            rows.compactMap { $0.count > column ? $0[column].count : nil }.max() ?? 0
        }
        for row in rows {
            let cells = zip(row, widths).map { DemoPage.pad($0, $1) }
            write(DemoPage.trimmed("   | " + cells.joined(separator: " | ") + " |"))
        }
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func trimmed(_ text: String) -> String {
        var text = text
        while text.hasSuffix(" ") { text.removeLast() }
        return text
    }
}
