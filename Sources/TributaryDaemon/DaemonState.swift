import Synchronization
import TributaryAdmin
import TributaryModel

final class DaemonState: Sendable {
    private struct Contents {
        var phase = StatusMessage.State.starting
        var engine: Engine?
        var configuration: Configuration
        var restartNeeded: [String] = []
    }

    private let contents: Mutex<Contents>
    private let started = ContinuousClock.now
    private let modelFile: ModelFileWatch
    private let failureBefore: StoreLock.Failure?

    init(configuration: Configuration, modelFile: ModelFileWatch, failureBefore: StoreLock.Failure? = nil) {
        self.modelFile = modelFile
        self.failureBefore = failureBefore
        contents = Mutex(Contents(configuration: configuration))
    }

    var uptimeSeconds: Double {
        let uptime = (ContinuousClock.now - started).components
        return Double(uptime.seconds) + Double(uptime.attoseconds / 1_000_000_000_000_000) / 1_000
    }

    var phase: StatusMessage.State { contents.withLock { $0.phase } }
    var lastFailure: StoreLock.Failure? { engine == nil && phase != .stopping ? failureBefore : nil }
    var engine: Engine? { contents.withLock { $0.engine } }
    var configuration: Configuration { contents.withLock { $0.configuration } }
    /// The keys with new values that need a restart; includes `model` when the model file has changed.
    var restartNeeded: [String] {
        let keys = contents.withLock { $0.restartNeeded }
        return keys.contains("model") || !modelHasChanged ? keys : keys + ["model"]
    }

    var modelHasChanged: Bool { modelFile.isChanged }

    func run(_ engine: Engine) {
        contents.withLock { contents in
            contents.engine = engine
            if contents.phase != .stopping { contents.phase = .running }
        }
    }

    func migrate() {
        contents.withLock { if $0.phase == .starting { $0.phase = .migrating } }
    }

    /// Returns true at the first call.
    func stop() -> Bool {
        contents.withLock { contents in
            defer { contents.phase = .stopping }
            return contents.phase != .stopping
        }
    }

    func reconfigure(_ configuration: Configuration, restartNeeded: [String]) {
        contents.withLock { contents in
            contents.configuration = configuration
            contents.restartNeeded = restartNeeded
        }
    }

    func requireOpenStore() throws(ProblemDocument) {
        let (phase, isOpen) = contents.withLock { ($0.phase, $0.engine != nil) }
        guard isOpen, phase == .running else {
            throw ProblemDocument(.notReady, detail: "the daemon is \(phase.rawValue)", hint: "try again in a moment")
        }
    }
}

struct ModelFileWatch: Sendable {
    private let path: String?
    private let contents: ModelFileContents?

    init(path: String?) {
        self.path = path
        contents = path.map { ModelFileContents(ofModelAt: $0) }
    }

    var isChanged: Bool {
        guard let path, let contents else { return false }
        return ModelFileContents(ofModelAt: path) != contents
    }
}
