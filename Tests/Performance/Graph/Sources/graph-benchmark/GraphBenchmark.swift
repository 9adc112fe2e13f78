import Foundation
import Tributary

/// Measures what a program does with objects: making, reading, writing, fetching and merging them.
///
///     swift run -c release --static-swift-stdlib graph-benchmark [--short] [--runs N] [--objects N]
@main
struct GraphBenchmark {
    private var runs = 7
    private var objects = 100_000

    static func main() async throws {
        var benchmark = GraphBenchmark()
        guard benchmark.read(CommandLine.arguments.dropFirst()) else {
            print("usage: graph-benchmark [--short] [--runs N] [--objects N]")
            exit(64)
        }
        try await benchmark.run()
    }

    private mutating func read(_ arguments: ArraySlice<String>) -> Bool {
        var rest = arguments
        while let option = rest.popFirst() {
            switch option {
            case "--short": runs = 3
            case "--runs":
                guard let value = rest.popFirst().flatMap({ Int($0) }), value > 0 else { return false }
                runs = value
            case "--objects":
                guard let value = rest.popFirst().flatMap({ Int($0) }), value > 0 else { return false }
                objects = value
            default: return false
            }
        }
        return true
    }

    private func run() async throws {
        let folder = NSTemporaryDirectory() + "/graph-benchmark-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/store.sqlite"
        let container = try await PersistentContainer(
            name: "benchmark",
            model: try Employee.model(),
            classes: [Employee.self],
            store: .file(path)
        )
        print("\(objects) objects, best of \(runs) runs, by processor time")
        let context = container.newBackgroundContext()
        let (objects, runs) = (objects, runs)
        let figures = try await context.perform { context in
            try Accesses(objects: objects, runs: runs).measure(in: context)
        }
        let fetches = try await context.perform { context in
            try Fetches(path: path, objects: objects, runs: runs).measure(in: context)
        }
        let merges = try await context.perform { context in
            try Merges(runs: runs).measure(in: context)
        }
        try await container.close()
        let large = try await LargeValues(folder: folder, runs: runs).measure()
        print(Figure.heading)
        for figure in figures + fetches + merges + [large] { print(figure.line) }
    }
}
