import BenchmarkImport
import Foundation
import GRDB
import TestSupport
import Tributary

/// One work and nothing else, for a program that counts instructions or compares times.
enum SingleWork {
    private static let changes = 20_000
    private static let saves = 100

    /// Does the work that the arguments name; false when they name none.
    static func run(_ arguments: ArraySlice<String>) async throws -> Bool {
        let arguments = Array(arguments)
        switch (arguments.first, arguments.count) {
        case ("--prepare", 2): try await prepare(arguments[1])
        case ("--work", 3): try await run(arguments[1], in: arguments[2])
        case ("--records", 3...): try RecordImport.run(arguments[2...], into: arguments[1])
        default: return false
        }
        return true
    }

    /// Makes a folder with a segment, and with a store into which it has been imported.
    private static func prepare(_ folder: String) async throws {
        // The same in each run.
        var generator = SeededGenerator(seed: 1)
        try Workload(count: changes, generator: &generator).publishInserts(in: folder + "/logs")
        try await ImportSeries.importing(folder, logs: folder + "/logs").run()
    }

    private static func run(_ work: String, in folder: String) async throws {
        if work == "import" {
            let scratch = try TemporaryFolder("benchmark", in: folder + "/")
            return try await ImportSeries.importing(scratch.path, logs: folder + "/logs").run()
        }
        let container = try await PersistentContainer(
            name: "benchmark",
            path: folder + "/store.sqlite",
            model: try Workload.model()
        )
        try await container.newBackgroundContext().perform { context in
            switch work {
            case "save":
                var generator = SeededGenerator(seed: 2)
                let workload = Workload(count: saves, generator: &generator)
                for index in 0..<saves { try QuietSaves.save(workload, index, in: context) }
            default:
                let objects = try context.fetch(FetchRequest("Employee"))
                precondition(objects.count >= changes)
            }
        }
        try await container.close()
    }
}

/// What one would write in Swift with GRDB's records and Foundation's decoder: no hash is checked, and no versions are kept.
private enum RecordImport {
    private struct Employee: Codable, PersistableRecord {
        static let databaseTableName = "Employee"
        var _id: Data
        var name: String?
        var note: String?
        var salary: Double?
        var hired: Double?
        var badge: Int64?
        var active: Bool?
    }

    private struct Line: Decodable {
        struct Values: Decodable {
            var name: String?
            var note: String?
            var salary: Double?
            var hired: Double?
            var badge: Int64?
            var active: Bool?
        }
        var insert: String?
        var update: String?
        var id: UUID?
        var values: Values?
    }

    /// Imports segments one after another, and prints the seconds that each took.
    static func run(_ segments: ArraySlice<String>, into store: String) throws {
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = FULL; PRAGMA cache_size = -24576") }
        let queue = try DatabaseQueue(path: store, configuration: configuration)
        for segment in segments {
            let start = ContinuousClock.now
            let decoder = JSONDecoder()
            let lines = try Data(contentsOf: URL(fileURLWithPath: segment)).split(separator: UInt8(ascii: "\n"))
            for first in stride(from: 0, to: lines.count, by: PlainLoop.transactionRows) {
                try queue.write { database in
                    for text in lines[first..<min(lines.count, first + PlainLoop.transactionRows)] {
                        let line = try decoder.decode(Line.self, from: text)
                        guard let id = line.id, let values = line.values else { continue }
                        let employee = Employee(
                            _id: withUnsafeBytes(of: id.uuid) { Data($0) },
                            name: values.name,
                            note: values.note,
                            salary: values.salary,
                            hired: values.hired,
                            badge: values.badge,
                            active: values.active
                        )
                        if line.insert != nil {
                            try employee.insert(database)
                        } else {
                            try employee.update(database, columns: ["salary"])
                        }
                    }
                }
            }
            print((ContinuousClock.now - start) / .seconds(1))
        }
    }
}
