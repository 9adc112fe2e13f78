import Foundation
import Synchronization

/// The oldest version comes first; versions in files are read at the first access.
package final class ModelVersions: Sendable {
    package static var none: ModelVersions { ModelVersions([]) }

    package let names: [String]
    package var count: Int { names.count }
    /// Whether a program has listed the versions as older; otherwise only the order of names in a folder does.
    package let areListed: Bool
    /// Returns a function that reads a version by its index, and that may hold a connection until it is released.
    private let reader: @Sendable () throws -> (Int) throws -> Model
    /// Empty when the hashes are not known without reading the versions.
    private let recordedHashes: [String]
    private let state: Mutex<State>

    private struct State {
        var models: [Model]?
        var failures: [Int: String] = [:]
        var report: (@Sendable (String) -> Void)?
        var readings = 0
        var newestHash: String?
    }

    package init(_ models: [Model]) {
        names = models.map(\.version)
        areListed = true
        reader = { { models[$0] } }
        recordedHashes = []
        state = Mutex(State(models: models))
    }

    package init(
        names: [String],
        hashes: [String] = [],
        reader: @escaping @Sendable () throws -> (Int) throws -> Model
    ) {
        self.names = names
        recordedHashes = hashes
        areListed = false
        self.reader = reader
        state = Mutex(State())
    }

    package static func areInOrder(_ first: String, _ second: String) -> Bool {
        let order = first.compare(second, options: [.numeric, .caseInsensitive])
        return order == .orderedSame ? first < second : order == .orderedAscending
    }

    package var areInMemory: Bool { state.withLock { $0.models != nil } }

    package var readings: Int { state.withLock(\.readings) }

    package var models: [Model] {
        let models = passing()
        state.withLock { $0.models = models }
        return models
    }

    package var notices: [String] {
        _ = models
        return state.withLock { $0.failures.sorted { $0.key < $1.key }.map(\.value) }
    }

    package func onFailure(_ report: @escaping @Sendable (String) -> Void) { state.withLock { $0.report = report } }

    package func reportFailures(like other: ModelVersions) {
        let report = other.state.withLock(\.report)
        state.withLock { $0.report = report }
    }

    package func passing() -> [Model] {
        if let models = state.withLock(\.models) { return models }
        state.withLock { $0.readings += count }
        let read = Result { try reader() }
        return (0..<count).compactMap { version($0, read) }
    }

    private func version(_ index: Int, _ read: Result<(Int) throws -> Model, any Error>) -> Model? {
        do {
            return try read.get()(index)
        } catch {
            let text = "version '\(names[index])' is left out: \(error)"
            let report = state.withLock { $0.failures.updateValue(text, forKey: index) == nil ? $0.report : nil }
            report?(text)
            return nil
        }
    }

    /// Reads only the newest version from its file; for the others, equal names are the proof.
    package func areLast(of other: ModelVersions) -> Bool {
        let hashes = other.state.withLock(\.models)?.map(\.versionHash) ?? other.recordedHashes
        guard count <= hashes.count else { return false }
        if let models = state.withLock(\.models) { return models.map(\.versionHash) == hashes.suffix(count) }
        guard count > 0 else { return true }
        guard names == other.names.suffix(count) else { return false }
        return (state.withLock(\.newestHash) ?? self[count - 1]?.versionHash) == hashes.last
    }

    package subscript(index: Int) -> Model? {
        guard (0..<count).contains(index) else { return nil }
        if let models = state.withLock(\.models) { return index < models.count ? models[index] : nil }
        let model = version(index, Result { try reader() })
        state.withLock { state in
            state.readings += 1
            if index == count - 1 { state.newestHash = model?.versionHash }
        }
        return model
    }

    /// The versions after the newest version with the given hash; only these and that version are read.
    package func following(versionHash hash: String) -> [Model]? {
        if let models = state.withLock(\.models) {
            return models.lastIndex { $0.versionHash == hash }.map { Array(models[($0 + 1)...]) }
        }
        var result: [Model] = []
        for index in (0..<count).reversed() {
            guard let model = self[index] else { continue }
            if model.versionHash == hash { return result.reversed() }
            result.append(model)
        }
        return nil
    }
}
