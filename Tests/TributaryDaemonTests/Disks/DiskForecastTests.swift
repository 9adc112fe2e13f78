import Foundation
import TestSupport
import Testing
import TributaryAdmin

@testable import TributaryDaemon

/// When a disk is full, and when that is worth a word.
@Suite struct DiskForecastTests {
    private static let gib: Int64 = 1 << 30

    /// A sample an hour, from hour 0 on.
    private func forecast(_ used: [Int64], from hour: Int64 = 0) -> DiskForecast {
        var forecast = DiskForecast()
        for (index, used) in used.enumerated() { forecast.add(used: used, at: .seconds(3600 * (hour + Int64(index)))) }
        return forecast
    }

    private func days(_ outlook: DiskForecast.Outlook) -> Double? {
        if case .filling(let days) = outlook { days } else { nil }
    }

    @Test func nothingIsKnownBeforeSixHours() {
        #expect(forecast([]).outlook(free: 0) == .unknown)
        #expect(forecast((0...5).map { $0 << 20 }).outlook(free: Self.gib) == .unknown)
        #expect(forecast((0...6).map { $0 << 20 }).outlook(free: Self.gib) != .unknown)
    }

    @Test func steadyGrowthIsDividedIntoWhatIsFree() throws {
        // 1 MiB an hour, so 24 MiB a day.
        let growing = forecast((0...48).map { 10 * Self.gib + $0 << 20 })
        #expect(abs(try #require(days(growing.outlook(free: 240 << 20))) - 10) < 1e-9)
        #expect(days(growing.outlook(free: 0)) == 0 && days(growing.outlook(free: -5)) == 0)
        #expect(growing.outlook(free: .max) == .steady, "in more than ten years")
        #expect(forecast(Array(repeating: 7, count: 48)).outlook(free: 0) == .steady)
        #expect(forecast((0...48).map { 10 * Self.gib - $0 << 20 }).outlook(free: 1) == .steady, "it shrinks")
    }

    /// A mean would see a trend in both.
    @Test func aLargeFileThatComesOrGoesIsNoTrend() throws {
        let comes = forecast((0...48).map { ($0 << 20) + ($0 >= 40 ? 50 * Self.gib : 0) })
        #expect(try #require(days(comes.outlook(free: 240 << 20))) > 5)
        let goes = forecast((0...48).map { 60 * Self.gib + ($0 << 20) - ($0 >= 40 ? 50 * Self.gib : 0) })
        #expect(try #require(days(goes.outlook(free: 240 << 20))) < 15)
    }

    @Test func samplesAreTakenOnceAnHourAndKeptForAWeek() {
        var forecast = DiskForecast()
        for minute in 0..<(60 * 24 * 9) { forecast.add(used: Int64(minute), at: .seconds(60 * Int64(minute))) }
        #expect(forecast.sampleCount == 168)
        // What was a week ago counts no more: it shrank then.
        var turned = self.forecast((0..<168).map { 100 * Self.gib - $0 << 20 })
        for hour in 168..<336 { turned.add(used: Int64(hour) << 20, at: .seconds(3600 * Int64(hour))) }
        #expect(days(turned.outlook(free: Self.gib)) != nil)
    }

    @Test func aClockThatGoesBackBeginsAnew() {
        var forecast = forecast((0...48).map { $0 << 20 }, from: 1_000)
        #expect(forecast.outlook(free: 1) != .unknown)
        forecast.add(used: 49 << 20, at: .seconds(3600 * 1_048 - 1))
        #expect(forecast.sampleCount == 1 && forecast.outlook(free: 1) == .unknown)
    }

    @Test func hostileNumbersAreNoTrap() {
        for used in [[Int64.max, 0], [0, .max], [.min, .max], [.max, .min]] {
            let forecast = forecast((0...12).map { used[$0 % 2] })
            for free in [Int64.min, 0, .max] { _ = forecast.outlook(free: free) }
        }
    }

    // MARK: What is worth a word

    private func volume(
        free: Int64,
        of total: Int64 = 100 * gib,
        _ outlook: DiskForecast.Outlook = .unknown,
        _ paths: [DiskVolume.Place: String] = [.store: "/var/lib/t"]
    ) -> DiskVolume {
        DiskVolume(device: 1, paths: paths, free: free, total: total, used: 0, outlook: outlook)
    }

    @Test func theBoundariesAreThose() {
        let limits = DiskLimits(warnDays: 7, warnFree: Self.gib)
        let cases: [(DiskVolume, DiskVolume.Severity?)] = [
            (volume(free: Self.gib), nil), (volume(free: Self.gib - 1), .notice),
            (volume(free: Self.gib / 8), .notice), (volume(free: Self.gib / 8 - 1), .problem),
            (volume(free: 0), .problem), (volume(free: -1), .problem),
            // A tenth of a small disk.
            (volume(free: 100, of: 1_000), nil), (volume(free: 99, of: 1_000), .notice),
            (volume(free: 11, of: 1_000), .problem),
            (volume(free: 50 * Self.gib, .filling(daysLeft: 7)), nil),
            (volume(free: 50 * Self.gib, .filling(daysLeft: 6.99)), .notice),
            (volume(free: 50 * Self.gib, .steady), nil),
            // A file system that does not tell, and one that tells nonsense.
            (volume(free: 0, of: 0, .filling(daysLeft: 0)), nil), (volume(free: 0, of: -1), nil),
            (volume(free: .max, of: .max), nil),
        ]
        for (volume, severity) in cases { #expect(volume.severity(limits) == severity, "\(volume)") }
        #expect(volume(free: 0, of: .max).severity(DiskLimits(warnDays: .max, warnFree: .max)) == .problem)
    }

    @Test func theWordsSayWhereHowMuchAndWhatToType() throws {
        let both: [DiskVolume.Place: String] = [.store: "/var/lib/t", .logs: "/srv/logs"]
        let low = try #require(volume(free: 500 << 20, .filling(daysLeft: 2.34), both).finding(DiskLimits()))
        #expect(low.severity == .notice && low.problem.code == .diskLow)
        #expect(
            low.problem.detail
                == "The disk of /var/lib/t (the store) and /srv/logs (the log folder) has 500.0 MiB free of 100.0 GiB and, as it "
                + "fills now, is full in about 2.3 days."
        )
        #expect(low.problem.hint?.hasSuffix("tributaryctl compact") == true)
        let full = try #require(volume(free: 1, .filling(daysLeft: 0.01)).finding(DiskLimits()))
        #expect(full.severity == .problem && full.problem.detail.contains("less than two hours"))
        #expect(full.problem.detail.contains("refuses saves"))
        #expect(full.problem.hint?.hasSuffix("tributaryctl reload") == true)
    }

    /// The store and the log folder are one entry where they are on one disk.
    @Test func realFileSystemsAreMeasured() async throws {
        let folder = try TemporaryFolder("disks")
        let (store, logs) = (folder.path("store"), folder.path("logs"))
        for path in [store, logs] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        // A processor that is busy may keep an answer for longer than the watch waits.
        func volumes(_ watch: DiskWatch, count: Int, of places: Int) async -> [DiskVolume] {
            var found: [DiskVolume] = []
            let end = Date(timeIntervalSinceNow: 60)
            repeat {
                found = await watch.volumes()
            } while (found.count != count || found.flatMap(\.places).count != places) && Date() < end
            return found
        }
        let one = try #require(await volumes(DiskWatch(store: store, logs: logs), count: 1, of: 2).first)
        #expect(one.paths == [.store: store, .logs: logs] && one.total > 0 && one.free <= one.total)
        #expect(one.outlook == .unknown)
        let two = await volumes(DiskWatch(store: store, logs: "/proc"), count: 2, of: 2)
        #expect(two.map(\.places) == [[.store], [.logs]])
        #expect(two.last?.severity(DiskLimits()) == nil, "it has no blocks: \(two)")
        let gone = await volumes(DiskWatch(store: store, logs: "/nowhere/at/all"), count: 1, of: 1)
        #expect(gone.map(\.places) == [[.store]])
    }
}
