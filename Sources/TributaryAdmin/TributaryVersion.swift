package enum TributaryVersion {
    package static let current = "0.1.0"
}
