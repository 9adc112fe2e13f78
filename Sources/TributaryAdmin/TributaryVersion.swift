/// The version of both programs, the daemon's status and the package; the newest entry of `etc/debian/changelog` has it
/// too.
package enum TributaryVersion {
    package static let current = "0.1.0"
}
