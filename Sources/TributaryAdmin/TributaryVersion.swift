/// Must be equal to the newest entry of `etc/debian/changelog`.
package enum TributaryVersion {
    package static let current = "0.1.0"
}
