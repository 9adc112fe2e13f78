import TributaryAdmin

/// The version, for the daemon's own command line.
package enum DaemonVersion {
    package static let text = TributaryVersion.current
}
