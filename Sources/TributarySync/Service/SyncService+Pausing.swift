import Foundation
import Logging
import TributaryAdmin
import TributaryChanges
import TributaryStore

extension SyncService {
    /// Local changes are still exported.
    package func pause(for duration: Duration? = nil, by user: String? = nil) async throws {
        let wall = environment.wall
        let until = duration.map(wall.later)
        let pause = ImportPause(since: state.read { $0.pause?.since } ?? wall, until: until)
        try await records.store(pause) { self.set(pause) }
        environment.logger.notice("importing is paused", metadata: metadata(user, until: until))
        signals.imports.raise()
    }

    package func resume(by user: String? = nil) async throws {
        try await records.store(nil) { self.set(nil) }
        environment.logger.notice("importing resumes", metadata: metadata(user))
        signals.imports.raise()
    }

    /// Does not end a pause that was renewed meanwhile.
    func endPauseWhenDue() {
        let wall = environment.wall
        guard let pause = state.read(\.pause), pause.isOver(at: wall) else { return }
        // If this fails, the pause ends nevertheless, now and at the next start.
        try? records.remove(pause)
        guard set(nil, replacing: pause) else { return }
        environment.logger.notice("importing resumes: the time of the pause is over")
    }

    private var records: SyncRecords { SyncRecords(store: environment.store) }

    @discardableResult
    private func set(_ pause: ImportPause?, replacing former: ImportPause? = nil) -> Bool {
        state.update { state in
            guard former == nil || state.pause == former else { return false }
            state.pause = pause
            // A pause lets the batch in progress commit at the next transaction boundary.
            if !state.lifecycle.isStopping { control.give(pause == nil ? .proceed : .finish) }
            return true
        }
    }

    private func metadata(_ user: String?, until: WallTime? = nil) -> Logger.Metadata {
        var metadata: Logger.Metadata = [:]
        if let user { metadata["by"] = "\(user)" }
        if let until { metadata["until"] = "\(until.date.ISO8601Format())" }
        return metadata
    }
}

struct ImportPause: Hashable, Sendable {
    let since: WallTime
    let until: WallTime?

    /// `<since> <until or ->`, both in Unix milliseconds.
    var text: String { "\(since.milliseconds) \(until.map { String($0.milliseconds) } ?? "-")" }

    /// A pause that begins in the future was made while the clock was ahead.
    func isOver(at wall: WallTime) -> Bool { until.map { $0 <= wall || since > wall } ?? false }
}

extension ImportPause {
    init?(_ text: String) {
        let parts = text.split(separator: " ")
        guard parts.count == 2, let since = UInt64(parts[0]) else { return nil }
        self.init(since: WallTime(milliseconds: since), until: UInt64(parts[1]).map(WallTime.init(milliseconds:)))
    }
}
