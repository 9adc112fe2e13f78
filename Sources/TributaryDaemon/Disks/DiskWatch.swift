import Dispatch
import Synchronization
import TributaryChanges

/// Each folder is measured on its own thread; a mount that does not answer is left out after half a second.
final class DiskWatch: Sendable {
    private struct Answer: Sendable {
        var volume: DiskVolume
        var time: Duration
    }

    private struct State {
        var pending: Set<DiskVolume.Place> = []
        var answers: [DiskVolume.Place: Answer] = [:]
        var forecasts: [UInt64: DiskForecast] = [:]
    }

    private let paths: [DiskVolume.Place: String]
    private let now: @Sendable () -> Duration
    private let state = Mutex(State())

    private static let age = Duration.seconds(1)
    private static let patience = DispatchTimeInterval.milliseconds(500)
    /// An older answer is not used for a folder that no longer answers.
    private static let longestAge = Duration.seconds(600)

    init(store: String, logs: String, now: (@Sendable () -> Duration)? = nil) {
        paths = [.store: store, .logs: logs]
        let start = ContinuousClock.now
        self.now = now ?? { ContinuousClock.now - start }
    }

    func volumes() async -> [DiskVolume] {
        let time = now()
        let due = state.withLock { state in
            let due = DiskVolume.Place.allCases.filter { place in
                !state.pending.contains(place)
                    && state.answers[place].map { time < $0.time || time - $0.time >= DiskWatch.age } ?? true
            }
            state.pending.formUnion(due)
            return due
        }
        if !due.isEmpty { await ask(due, at: time) }
        return state.withLock { DiskWatch.volumes($0, at: time) }
    }

    private func ask(_ due: [DiskVolume.Place], at time: Duration) async {
        let group = DispatchGroup()
        for place in due {
            let path = paths[place] ?? ""
            DispatchQueue.global(qos: .utility).async(group: group) { [self] in
                let volume = DiskVolume(of: path, place)
                state.withLock { state in
                    state.pending.remove(place)
                    state.answers[place] = volume.map { Answer(volume: $0, time: time) }
                    // A folder may be mounted again, each time as another device.
                    let known = Set(state.answers.values.map(\.volume.device))
                    state.forecasts = state.forecasts.filter { known.contains($0.key) }
                    guard let volume, volume.total > 0 else { return }
                    state.forecasts[volume.device, default: DiskForecast()].add(used: volume.used, at: time)
                }
            }
        }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                _ = group.wait(timeout: .now() + DiskWatch.patience)
                continuation.resume()
            }
        }
    }

    private static func volumes(_ state: State, at time: Duration) -> [DiskVolume] {
        var volumes: [DiskVolume] = []
        for place in DiskVolume.Place.allCases {
            guard let answer = state.answers[place], time - answer.time < longestAge else { continue }
            if let index = volumes.firstIndex(where: { $0.device == answer.volume.device }) {
                volumes[index].paths.merge(answer.volume.paths) { $1 }
                continue
            }
            var volume = answer.volume
            if let forecast = state.forecasts[volume.device] { volume.outlook = forecast.outlook(free: volume.free) }
            volumes.append(volume)
        }
        return volumes
    }
}
