import TributaryAdmin

package enum DaemonVersion {
    package static let text = TributaryVersion.current
}
