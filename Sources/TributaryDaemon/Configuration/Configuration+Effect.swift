import Glibc
import TributaryAdmin
import TributaryChanges

/// Settings that are valid, but have no effect on this machine: the status reports them, and the daemon starts.
extension Configuration {
    mutating func lookUpGroups() {
        unknownWriters = (admin.writers ?? []).filter { Accounts.groupID(named: $0) == nil }
    }

    func settingsWithoutEffect(hasNetwork: Bool, unit: String) -> [Problem] {
        var problems: [Problem] = []
        if let address = admin.listen, !hasNetwork {
            problems.append(
                Problem(
                    .settingWithoutEffect,
                    detail: "admin.listen: nothing listens on \(address): the unit lacks its drop-in network.conf.",
                    hint: UnitFacts.commandsForNetwork(of: unit).joined(separator: " && ")
                )
            )
        }
        if let group = unknownWriters.first {
            let names = unknownWriters.map { "'\($0)'" }.joined(separator: ", ")
            let meant = String.question(meaning: Accounts.groupMeant(by: group))
            problems.append(
                Problem(
                    .settingWithoutEffect,
                    detail:
                        "admin.writers: this machine does not have the group \(names)\(meant.isEmpty ? "." : meant)",
                    hint: "Make the group (sudo groupadd --system \(group.shellWord)), or name another group, then: "
                        + "tributaryctl reload"
                )
            )
        }
        return problems
    }

    /// False in a unit with a sandbox that allows only Unix sockets.
    static let hasNetwork: Bool = {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }()

    var ownSettingsWithoutEffect: [Problem] {
        settingsWithoutEffect(
            hasNetwork: Configuration.hasNetwork,
            unit: ServiceUnit.current?.name ?? "tributaryd.service"
        )
    }
}
