import Logging

/// A handler whose level is the daemon's setting: what is the same wherever the entries go.
protocol SettingLogHandler: LogHandler {
    var setting: LogLevelSetting { get }
}

extension SettingLogHandler {
    var logLevel: Logger.Level {
        get { setting.value }
        nonmutating set { setting.value = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// The handler's own values, over them the event's, and its error.
    func metadata(of event: LogEvent) -> Logger.Metadata {
        var all = metadata.merging(event.metadata ?? [:]) { $1 }
        if let error = event.error { all["error"] = "\(error)" }
        return all
    }

    /// The message in one line, with the values behind it.
    func text(of event: LogEvent, _ all: Logger.Metadata) -> String {
        LogText.escape("\(event.message)") + (all.isEmpty ? "" : "  " + LogText.pairs(all))
    }
}
