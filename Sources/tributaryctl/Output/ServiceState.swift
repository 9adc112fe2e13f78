import TributaryAdmin

/// Each command reports the state of the daemon's unit when no daemon answers.
struct ServiceState {
    private let properties: UnitProperties
    private var unit: String { properties.unit }

    init?(unit: String) {
        guard let properties = UnitProperties(asking: unit, for: UnitProperties.ofState),
            !properties["ActiveState"].isEmpty
        else { return nil }
        self.properties = properties
    }

    var lines: [String] {
        guard properties["LoadState"] != "not-found" else {
            return ["\(unit) is not installed", "hint: systemctl list-units 'tributaryd*'"]
        }
        let state = properties["ActiveState"]
        let since = properties.since.isEmpty ? "" : " since \(properties.since)"
        let journal = "to see why: journalctl -u \(unit) -n 20"
        let (reason, hint) =
            switch state {
            case "failed": (" (\(failure))", "\(journal); to start it again: systemctl restart \(unit)")
            case "inactive": ("", "to start it: systemctl start \(unit)")
            case "activating", "reloading":
                (properties["SubState"] == "auto-restart" ? " again, after it failed (\(failure))" : "", journal)
            default: ("", "to see what it does: systemctl status \(unit); \(journal)")
            }
        return ["\(unit) is \(state)\(reason)\(since)", "hint: \(HintText.withRights(hint))"]
    }

    private var failure: String {
        let (result, status) = (properties["Result"], properties["ExecMainStatus"])
        guard result == "exit-code" else { return result.isEmpty ? "unknown" : result }
        return "exit status \(status.isEmpty ? "unknown" : status)"
    }

    /// If systemd does not answer, the hint is the command that reads the journal.
    static func lines(for sockets: [String]) -> [String] {
        sockets.compactMap(DefaultPaths.unit(of:)).flatMap { unit in
            ServiceState(unit: unit)?.lines ?? ["hint: journalctl -u \(unit) -n 20"]
        }
    }
}
