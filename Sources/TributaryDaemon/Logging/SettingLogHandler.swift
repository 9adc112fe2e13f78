import Logging

/// A log handler with the daemon's log level, for every output.
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

    /// Returns the handler's metadata, replaced by the event's metadata and its error.
    func metadata(of event: LogEvent) -> Logger.Metadata {
        var all = metadata.merging(event.metadata ?? [:]) { $1 }
        if let error = event.error { all["error"] = "\(error)" }
        return all
    }

    func text(of event: LogEvent, _ all: Logger.Metadata) -> String {
        LogText.escape("\(event.message)") + (all.isEmpty ? "" : "  " + LogText.pairs(all))
    }
}
