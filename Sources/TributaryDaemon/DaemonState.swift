import Synchronization
import TributaryAdmin

/// What the daemon's parts know of each other: how far it is, the open store, the configuration in force.
final class DaemonState: Sendable {
    private struct Contents {
        var phase = StatusMessage.State.starting
        var engine: Engine?
        var configuration: Configuration
        var restartNeeded: [ConfigurationKey] = []
    }

    private let contents: Mutex<Contents>
    private let started = ContinuousClock.now
    private let modelFile: ModelFileWatch

    init(configuration: Configuration, modelFile: ModelFileWatch) {
        self.modelFile = modelFile
        contents = Mutex(Contents(configuration: configuration))
    }

    /// Seconds since the daemon started.
    var uptimeSeconds: Double {
        let uptime = (ContinuousClock.now - started).components
        return Double(uptime.seconds) + Double(uptime.attoseconds / 1_000_000_000_000_000) / 1_000
    }

    var phase: StatusMessage.State { contents.withLock { $0.phase } }
    var engine: Engine? { contents.withLock { $0.engine } }
    var configuration: Configuration { contents.withLock { $0.configuration } }
    /// The keys that only a restart changes and that have a new value; `model` also when its file has changed.
    var restartNeeded: [ConfigurationKey] {
        let keys = contents.withLock { $0.restartNeeded }
        return keys.contains(.model) || !modelHasChanged ? keys : keys + [.model]
    }

    /// Whether the model's file has changed since the start.
    var modelHasChanged: Bool { modelFile.isChanged }

    /// The store is open.
    func run(_ engine: Engine) {
        contents.withLock { contents in
            contents.engine = engine
            if contents.phase != .stopping { contents.phase = .running }
        }
    }

    /// The store is being brought to a new model.
    func migrate() {
        contents.withLock { if $0.phase == .starting { $0.phase = .migrating } }
    }

    /// No new work is taken from now on; true the first time.
    func stop() -> Bool {
        contents.withLock { contents in
            defer { contents.phase = .stopping }
            return contents.phase != .stopping
        }
    }

    /// Takes a new configuration; values that need a restart are only remembered as such.
    func reconfigure(_ configuration: Configuration, restartNeeded: [ConfigurationKey]) {
        contents.withLock { contents in
            contents.configuration = configuration
            contents.restartNeeded = restartNeeded
        }
    }

    /// Throws a problem, to be tried again, when the store is not open or closes.
    func requireOpenStore() throws(ProblemDocument) {
        let (phase, isOpen) = contents.withLock { ($0.phase, $0.engine != nil) }
        guard isOpen, phase == .running else {
            throw ProblemDocument(.notReady, detail: "the daemon is \(phase.rawValue)", hint: "try again in a moment")
        }
    }
}
