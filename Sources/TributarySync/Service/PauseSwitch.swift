import Foundation
import Logging
import TributaryChanges
import TributaryStore

/// Pauses and resumes importing; a pause survives restarts.
struct PauseSwitch: Sendable {
    let environment: SyncEnvironment
    let state: SyncStateOwner
    let control: ImportControl
    let signals: SyncSignals

    private var records: SyncRecords { SyncRecords(store: environment.store) }

    /// Stops importing until ``resume(by:)`` or for the given time.
    ///
    /// - Parameters:
    ///   - duration: the duration of the pause; nil pauses until the import is resumed.
    ///   - user: the user who requested it, for the journal.
    /// - Throws: what writing to the store throws.
    func pause(for duration: Duration?, by user: String?) async throws {
        let wall = environment.wall
        let until = duration.map { wall.addingSaturating($0.wholeMilliseconds) }
        let pause = ImportPause(since: state.read { $0.pause?.since } ?? wall, until: until)
        try await records.store(pause)
        state.update { state in
            state.pause = pause
            // The batch in progress is committed at the next transaction boundary.
            if !state.lifecycle.isStopping { control.give(.finish) }
        }
        environment.logger.notice("importing is paused", metadata: metadata(user, until: until))
        signals.imports.raise()
    }

    /// Resumes importing; the journal names `user` as the one who requested it.
    ///
    /// - Throws: what writing to the store throws.
    func resume(by user: String?) async throws {
        try await records.store(nil)
        end()
        environment.logger.notice("importing goes on", metadata: metadata(user))
        signals.imports.raise()
    }

    /// Ends a pause whose time is over.
    func endWhenDue() {
        let wall = environment.wall
        guard state.read({ $0.pause?.isOver(at: wall) ?? false }) else { return }
        // If this fails, the pause ends nevertheless, now and at the next start.
        try? records.removePause()
        end()
        environment.logger.notice("importing goes on: the time of the pause is over")
    }

    private func end() {
        state.update { state in
            state.pause = nil
            if !state.lifecycle.isStopping { control.give(.proceed) }
        }
    }

    private func metadata(_ user: String?, until: UInt64? = nil) -> Logger.Metadata {
        var metadata: Logger.Metadata = [:]
        if let user { metadata["by"] = "\(user)" }
        if let until { metadata["until"] = "\(Date(timeIntervalSince1970: Double(until) / 1_000).ISO8601Format())" }
        return metadata
    }
}
