import Synchronization

/// Versions of a model beside another one, the oldest first; those of files are read when they are asked for.
///
/// A store that is at the current version needs none of them to open.
package final class ModelVersions: Sendable {
    package static let none = ModelVersions([])

    package let count: Int
    private let read: @Sendable (Int) throws -> Model
    private let state: Mutex<State>

    private struct State {
        /// All that can be read, once somebody has asked for all.
        var models: [Model]?
        var notices: [String] = []
        var readings = 0
    }

    /// Versions that are in memory.
    package init(_ models: [Model]) {
        count = models.count
        read = { models[$0] }
        state = Mutex(State(models: models))
    }

    /// Versions of which `read` gets one by its index.
    package init(count: Int, read: @escaping @Sendable (Int) throws -> Model) {
        self.count = count
        self.read = read
        state = Mutex(State())
    }

    /// Whether asking for a version costs nothing.
    package var areInMemory: Bool { state.withLock { $0.models != nil } }

    /// How many versions have been read from where they lie.
    package var readings: Int { state.withLock(\.readings) }

    /// All that can be read, kept from the first call on.
    package var models: [Model] { state.withLock { state in keepAll(&state) } }

    /// Which versions cannot be read, and why; reads all of them.
    package var notices: [String] {
        state.withLock { state in
            _ = keepAll(&state)
            return state.notices
        }
    }

    /// All that can be read; not kept.
    package func passing() -> [Model] {
        if let models = state.withLock(\.models) { return models }
        return (0..<count).compactMap { self[$0] }
    }

    /// One version, not kept; nil when it cannot be read.
    package subscript(index: Int) -> Model? {
        guard (0..<count).contains(index) else { return nil }
        if let models = state.withLock(\.models) { return index < models.count ? models[index] : nil }
        state.withLock { $0.readings += 1 }
        return try? read(index)
    }

    /// The versions after the newest one with the hash; nil when none has it.
    ///
    /// Only these and that one are read.
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
                models.append(try read(index))
            } catch {
                state.notices.append("a version is left out: \(error)")
            }
        }
        state.models = models
        return models
    }
}
