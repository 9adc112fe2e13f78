import TributaryAdmin

/// The version for the daemon's command line.
package enum DaemonVersion {
    package static let text = TributaryVersion.current
}
