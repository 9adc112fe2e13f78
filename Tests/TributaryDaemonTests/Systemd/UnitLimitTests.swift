import Foundation
import TestSupport
import Testing

@testable import TributaryDaemon

/// The limits in the systemd units match those of the daemon.
@Suite struct UnitLimitTests {
    private func settings(of unit: String) throws -> [String: String] {
        let text = try String(contentsOfFile: PackageFolder.path("systemd/\(unit)"), encoding: .utf8)
        let pairs = text.split(separator: "\n").compactMap { line -> (String, String)? in
            let parts = line.split(separator: "=", maxSplits: 1)
            return parts.count == 2 && !line.hasPrefix("#") ? (String(parts[0]), String(parts[1])) : nil
        }
        return Dictionary(pairs, uniquingKeysWith: { $1 })
    }

    @Test(arguments: ["tributaryd.service", "tributaryd@.service"])
    func theUnitsBoundWhatClientsCanAskFor(_ unit: String) throws {
        let settings = try settings(of: unit)
        #expect(settings["MemoryMax"] != nil)
        #expect(settings["TasksMax"] != nil)
        let descriptors = try #require(settings["LimitNOFILE"].flatMap { UInt64($0) })
        #expect(ConnectionRegister.limit(descriptors: descriptors) == ConnectionRegister.usualLimit)
    }

    @Test(arguments: ["tributaryd.service", "tributaryd@.service"])
    func aStopEndsBeforeTheUnitsTime(_ unit: String) throws {
        let text = try #require(try settings(of: unit)["TimeoutStopSec"])
        let seconds = try #require(Int(text.dropLast()))
        let schedule = StopSchedule(timeout: .seconds(85))
        #expect(schedule.timeout + schedule.grace < .seconds(seconds))
    }

    @Test func fewDescriptorsMakeFewConnections() {
        #expect(ConnectionRegister.limit(descriptors: 256) == 128)
        #expect(ConnectionRegister.limit(descriptors: 0) == 16)
        #expect(ConnectionRegister.limit(descriptors: .max) == 512)
    }
}
