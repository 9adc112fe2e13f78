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

    /// Commands that change owners or modes by a path follow links, which the daemon's user may put into its folder.
    @Test(arguments: ["tributaryd.service", "tributaryd@.service"])
    func rootChangesFoldersByTmpfilesOnly(_ unit: String) throws {
        let text = try String(contentsOfFile: PackageFolder.path("systemd/\(unit)"), encoding: .utf8)
        let privileged = text.split(separator: "\n").filter { $0.hasPrefix("Exec") && $0.contains("=+") }
        #expect(privileged.contains { $0.contains("/logs") && $0.contains("systemd-tmpfiles --create -") })
        for command in ["install", "chown", "chgrp", "chmod", "mkdir", "setfacl", "mv", "cp"] {
            #expect(!privileged.contains { $0.contains(" \(command) ") || $0.contains("/\(command) ") }, "\(command)")
        }
    }

    @Test func fewDescriptorsMakeFewConnections() {
        #expect(ConnectionRegister.limit(descriptors: 256) == 128)
        #expect(ConnectionRegister.limit(descriptors: 0) == 16)
        #expect(ConnectionRegister.limit(descriptors: .max) == 512)
    }
}

/// The unit of a process is determined from its control groups.
@Suite struct ServiceUnitTests {
    @Test func aServiceIsFoundInWhicheverHierarchyItIs() throws {
        let unified = try #require(ServiceUnit(controlGroups: "0::/system.slice/tributaryd.service\n"))
        #expect(unified.restartCommand == "systemctl restart tributaryd.service")
        let instance = "9:name=systemd:/\n1:cpu:/\n0::/system.slice/system-tributaryd.slice/tributaryd@shop.service\n"
        #expect(ServiceUnit(controlGroups: instance)?.restartCommand == "systemctl restart tributaryd@shop.service")
        let user = "0::/user.slice/user-1000.slice/user@1000.service/app.slice/tributaryd.service\n"
        #expect(ServiceUnit(controlGroups: user)?.restartCommand == "systemctl --user restart tributaryd.service")
    }

    @Test(arguments: ["", "0::/\n", "0::/user.slice/user-0.slice/session-1.scope\n", ":::\n", "nonsense"])
    func aProcessThatIsNoServiceHasNone(_ text: String) {
        #expect(ServiceUnit(controlGroups: text) == nil)
    }
}
