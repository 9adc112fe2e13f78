import Foundation
import Tributary

/// A save of large external values beside files that a program writes and synchronizes one by one, by elapsed time.
struct LargeValues {
    let folder: String
    let runs: Int
    private static let count = 100
    private static let size = 1 << 20

    func measure() async throws -> Figure {
        var figure = Figure(
            "save of \(LargeValues.count) values of 1 MiB: its time by plain files'",
            unit: "times",
            .none
        )
        let container = try await PersistentContainer(
            name: "values",
            model: try LargeValues.model(),
            store: .file(folder + "/values.sqlite")
        )
        let background = container.newBackgroundContext()
        for run in 0..<runs {
            // Other bytes in each run, because equal values share a file.
            let values = (0..<LargeValues.count).map { LargeValues.bytes(UInt64(run * LargeValues.count + $0)) }
            let plain = try LargeValues.seconds { try writeFiles(values, run) }
            let saving = try await background.perform { context in
                for value in values {
                    try context.insert(entity: "Picture").setValue(.binary(value), forKey: "bytes")
                }
                return try LargeValues.seconds { try context.save() }
            }
            figure.add(saving / plain)
            let each = [plain, saving].map { Figure.rounded($0 * 1_000) }
            figure.remark = "last: \(each[0]) ms plain, \(each[1]) ms saved"
        }
        try await container.close()
        return figure
    }

    private func writeFiles(_ values: [[UInt8]], _ run: Int) throws {
        let folder = "\(folder)/plain-\(run)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for (number, value) in values.enumerated() {
            let descriptor = open("\(folder)/\(number)", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o640)
            defer { close(descriptor) }
            let isWritten = write(descriptor, value, value.count) == value.count && fsync(descriptor) == 0
            precondition(isWritten, "a file was not written")
        }
    }

    private static func seconds(_ body: () throws -> Void) rethrows -> Double {
        let start = ContinuousClock.now
        try body()
        return (ContinuousClock.now - start) / .seconds(1)
    }

    private static func bytes(_ seed: UInt64) -> [UInt8] {
        var state = seed
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            buffer.withMemoryRebound(to: UInt64.self) { words in
                for index in words.indices {
                    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    words[index] = state
                }
            }
            count = size
        }
    }

    private static func model() throws -> Model {
        var bytes = Attribute(name: "bytes", type: .binary)
        bytes.isOptional = true
        bytes.allowsExternalBinaryStorage = true
        var picture = EntityDefinition(name: "Picture")
        picture.attributes = [bytes]
        return try Model(version: "benchmark", entities: [picture])
    }
}
