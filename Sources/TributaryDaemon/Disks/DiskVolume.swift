import Foundation
import Glibc
import TributaryAdmin

struct DiskVolume: Hashable, Sendable {
    enum Place: String, CaseIterable, Sendable {
        case store
        case logs
    }

    enum Severity: Hashable, Sendable {
        case notice
        case problem
    }

    var device: UInt64
    var paths: [Place: String]
    var free: Int64
    /// 0 for a file system that does not report it.
    var total: Int64
    var used: Int64
    var outlook = DiskForecast.Outlook.unknown

    var places: [Place] { Place.allCases.filter { paths[$0] != nil } }

    func severity(_ limits: DiskLimits) -> Severity? {
        guard total > 0 else { return nil }
        let least = min(limits.warnFree, total / 10)
        if free < least / 8 { return .problem }
        if free < least { return .notice }
        if case .filling(let days) = outlook, days < Double(limits.warnDays) { return .notice }
        return nil
    }

    func finding(_ limits: DiskLimits) -> (severity: Severity, problem: Problem)? {
        guard let severity = severity(limits) else { return nil }
        var detail = "The disk of \(placesText) has \(ByteText.text(free)) free of \(ByteText.text(total))"
        if case .filling(let days) = outlook { detail += " and, as it fills now, is full in \(DiskVolume.text(days))" }
        detail +=
            severity == .problem
            ? ". Once it is full, the daemon refuses saves and neither imports nor publishes; saved data is kept." : "."
        let hint =
            paths[.logs] != nil
            ? "Make room on that disk. To remove files that the log folder no longer needs: tributaryctl compact"
            : "Make room on that disk. To keep less history, lower history.keep, then: tributaryctl reload"
        return (severity, Problem(.diskLow, detail: detail, hint: hint))
    }

    private var placesText: String {
        places.compactMap { place in
            paths[place].map { "\($0) (\(place == .store ? "the store" : "the log folder"))" }
        }
        .joined(separator: " and ")
    }

    private static func text(_ days: Double) -> String {
        let tenths = Int((min(days, 10_000) * 10).rounded())
        return tenths < 1 ? "less than two hours" : "about \(tenths / 10).\(tenths % 10) days"
    }
}

extension DiskVolume {
    /// May take a long time.
    init?(of path: String, _ place: Place) {
        var volume = statvfs()
        let file = try? FileManager.default.attributesOfItem(atPath: RealPath.resolved(path))
        guard let device = file?[.systemNumber] as? NSNumber, statvfs(path, &volume) == 0 else { return nil }
        func bytes(_ blocks: some BinaryInteger) -> Int64 {
            let (count, size) = (Int64(clamping: blocks), Int64(clamping: volume.f_frsize))
            let (product, overflow) = count.multipliedReportingOverflow(by: size)
            return overflow ? .max : product
        }
        let total = bytes(volume.f_blocks)
        self.init(
            device: device.uint64Value,
            paths: [place: path],
            free: bytes(volume.f_bavail),
            total: total,
            used: max(0, total - bytes(volume.f_bfree))
        )
    }
}
