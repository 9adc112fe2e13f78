import CSystemd
import Glibc
import NIOCore
import TributaryAdmin

enum InheritedSocket {
    static func isAnnounced(in environment: [String: String]) -> Bool {
        environment["LISTEN_PID"] == String(getpid()) && environment["LISTEN_FDS"] != "0"
    }

    private static func announced(in environment: [String: String]) -> Int32? {
        isAnnounced(in: environment) ? chosen(unsettingVariables: false).descriptor : nil
    }

    static func path(in environment: [String: String]) -> String? {
        guard let chosen = announced(in: environment) else { return nil }
        var address = sockaddr_un()
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(chosen, $0, &length) }
        }
        guard status == 0, address.sun_family == sa_family_t(AF_UNIX) else { return nil }
        let path = withUnsafeBytes(of: &address.sun_path) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return path.hasPrefix("/") ? path : nil
    }

    /// A second descriptor of the socket, which stays open when the server has closed the first.
    static func copy(in environment: [String: String]) -> Int32? {
        guard let chosen = announced(in: environment) else { return nil }
        let copy = fcntl(chosen, F_DUPFD_CLOEXEC, 0)
        return copy < 0 ? nil : copy
    }

    /// Answers the clients of a daemon that cannot start: otherwise systemd would start it again and again.
    static func refuseWaitingClients(_ problem: ProblemDocument, at listener: Int32) {
        let response = Array(buffer: problem.rawResponse("Service Unavailable", fields: ["retry-after: 5"]))
        let deadline = ContinuousClock.now + .seconds(2)
        var clients: [pollfd] = []
        var received = [UInt8](repeating: 0, count: 64 << 10)
        _ = fcntl(listener, F_SETFL, fcntl(listener, F_GETFL) | O_NONBLOCK)
        repeat {
            while clients.count < Int(AdminSocket.backlog), case let client = accept(listener, nil, nil), client >= 0 {
                _ = fcntl(client, F_SETFL, O_NONBLOCK)
                _ = send(client, response, response.count, Int32(MSG_NOSIGNAL))
                shutdown(client, Int32(SHUT_WR))
                clients.append(pollfd(fd: client, events: Int16(POLLIN), revents: 0))
            }
            // Closing a connection with unread bytes of its client would lose the answer.
            guard !clients.isEmpty, poll(&clients, nfds_t(clients.count), 100) >= 0 || errno == EINTR else { break }
            clients.removeAll { client in
                guard client.revents != 0 else { return false }
                let count = recv(client.fd, &received, received.count, 0)
                guard count == 0 || count < 0 && errno != EAGAIN else { return false }
                close(client.fd)
                return true
            }
        } while !clients.isEmpty && ContinuousClock.now < deadline
        for client in clients { close(client.fd) }
    }

    /// The socket named `admin`, or the only socket.
    static func acquire() throws(ConfigurationError) -> Int32? {
        let (descriptor, count) = chosen(unsettingVariables: true)
        guard count > 0 else { return nil }
        guard let descriptor else {
            throw ConfigurationError(
                reason: "none of the sockets that systemd handed over is a listening Unix stream socket named 'admin'"
            )
        }
        return descriptor
    }

    private static func chosen(unsettingVariables: Bool) -> (descriptor: Int32?, count: Int) {
        var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        let count = Int(sd_listen_fds_with_names(unsettingVariables ? 1 : 0, &names))
        defer {
            for index in 0..<max(0, count) { free(names?[index]) }
            free(names)
        }
        guard count > 0 else { return (nil, 0) }
        let descriptors = (0..<count).map { index in
            (SD_LISTEN_FDS_START + Int32(index), names?[index].map { String(cString: $0) } ?? "")
        }
        let named = descriptors.first { $0.1 == "admin" } ?? (count == 1 ? descriptors.first : nil)
        guard let named, sd_is_socket(named.0, AF_UNIX, Int32(SOCK_STREAM.rawValue), 1) > 0 else { return (nil, count) }
        return (named.0, count)
    }
}
