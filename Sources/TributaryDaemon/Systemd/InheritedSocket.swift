import CSystemd
import Glibc

/// A listening socket that systemd has handed over.
enum InheritedSocket {
    /// Whether the service manager says that it hands over sockets to this process.
    static func isAnnounced(in environment: [String: String]) -> Bool {
        environment["LISTEN_PID"] == String(getpid()) && environment["LISTEN_FDS"] != "0"
    }

    /// The descriptor of the admin socket: the one named `admin`, or the only one there is.
    ///
    /// The variables that announce it are removed, so that no child takes it for its own.
    static func take() throws(ConfigurationError) -> Int32? {
        var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        let count = Int(sd_listen_fds_with_names(1, &names))
        defer {
            for index in 0..<max(0, count) { free(names?[index]) }
            free(names)
        }
        guard count > 0 else { return nil }
        let descriptors = (0..<count).map { index in
            (SD_LISTEN_FDS_START + Int32(index), names?[index].map { String(cString: $0) } ?? "")
        }
        let chosen = descriptors.first { $0.1 == "admin" } ?? (count == 1 ? descriptors.first : nil)
        guard let chosen, sd_is_socket(chosen.0, AF_UNIX, Int32(SOCK_STREAM.rawValue), 1) > 0 else {
            throw ConfigurationError(
                "of the \(count) sockets that systemd handed over none is a listening Unix stream socket named 'admin'"
            )
        }
        return chosen.0
    }
}
