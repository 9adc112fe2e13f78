import Tributary
import TributaryStore
import TributarySync

/// The part of the status that comes from the store, read at one time.
///
/// While readers are busy, each further read would wait again.
struct StatusFacts: Sendable {
    let writers: [WriterRecord]
    let deferrals: DeferralReport
    let conflicts: ConflictCounts

    static func read(_ engine: Engine) async -> StatusFacts? {
        await engine.readSoon { reader in
            StatusFacts(
                writers: try reader.writers.all(),
                deferrals: try engine.sync.deferrals(reader),
                conflicts: try reader.conflicts.counts()
            )
        }
    }
}
