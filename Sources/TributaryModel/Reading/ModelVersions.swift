import Foundation
import Synchronization

/// Other versions of a model, the oldest first; versions in files are read at the first access.
///
/// Opening a store at the current version reads none of them.
package final class ModelVersions: Sendable {
    package static let none = ModelVersions([])

    /// The names of the versions, which are known before any version is read.
    package let names: [String]
    package var count: Int { names.count }
    /// Whether a program has listed the versions as older ones; otherwise the order of names in a folder says so.
    package let areListed: Bool
    /// Returns what reads versions by their index, such as an open connection that is closed when it is let go.
    private let reader: @Sendable () throws -> (Int) throws -> Model
    /// The version hashes, when they are known although the versions are not in memory.
    private let recordedHashes: [String]
    private let state: Mutex<State>

    private struct State {
        /// All versions that can be read; nil before the first access to all of them.
        var models: [Model]?
        var notices: [String] = []
        var readings = 0
        /// The version hash of the newest version, once it has been read.
        var newestHash: String?
    }

    package init(_ models: [Model]) {
        names = models.map(\.version)
        areListed = true
        reader = { { models[$0] } }
        recordedHashes = []
        state = Mutex(State(models: models))
    }

    /// Creates a list of versions that are read when they are needed.
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

    /// Whether two names are in the order of versions in a folder, which Xcode numbers.
    package static func areInOrder(_ first: String, _ second: String) -> Bool {
        let order = first.compare(second, options: [.numeric, .caseInsensitive])
        return order == .orderedSame ? first < second : order == .orderedAscending
    }

    package var areInMemory: Bool { state.withLock { $0.models != nil } }

    package var readings: Int { state.withLock(\.readings) }

    /// All versions that can be read; kept in memory from the first access on.
    package var models: [Model] { state.withLock { state in keepAll(&state) } }

    /// Notices about versions that cannot be read; the access reads all versions.
    package var notices: [String] {
        state.withLock { state in
            _ = keepAll(&state)
            return state.notices
        }
    }

    /// Returns all versions that can be read, without keeping them in memory.
    package func passing() -> [Model] {
        if let models = state.withLock(\.models) { return models }
        guard let read = try? reader() else { return [] }
        state.withLock { $0.readings += count }
        return (0..<count).compactMap { try? read($0) }
    }

    /// Whether these versions are the last ones of `other`, whose hashes are known without reading.
    ///
    /// Of versions in files only the newest is read; the names must say the rest.
    package func areLast(of other: ModelVersions) -> Bool {
        let hashes = other.state.withLock(\.models)?.map(\.versionHash) ?? other.recordedHashes
        guard count <= hashes.count else { return false }
        if let models = state.withLock(\.models) { return models.map(\.versionHash) == hashes.suffix(count) }
        guard count > 0 else { return true }
        guard names == other.names.suffix(count) else { return false }
        return (state.withLock(\.newestHash) ?? self[count - 1]?.versionHash) == hashes.last
    }

    /// The version at an index, not kept in memory; nil when it cannot be read.
    package subscript(index: Int) -> Model? {
        guard (0..<count).contains(index) else { return nil }
        if let models = state.withLock(\.models) { return index < models.count ? models[index] : nil }
        let model = try? reader()(index)
        state.withLock { state in
            state.readings += 1
            if index == count - 1 { state.newestHash = model?.versionHash }
        }
        return model
    }

    /// Returns the versions after the newest one with the given hash; nil when no version has it.
    ///
    /// Only that version and those after it are read.
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

    private func keepAll(_ state: inout State) -> [Model] {
        if let models = state.models { return models }
        var models: [Model] = []
        for index in 0..<count {
            state.readings += 1
            do {
                models.append(try reader()(index))
            } catch {
                state.notices.append("a version is left out: \(error)")
            }
        }
        state.models = models
        return models
    }
}
