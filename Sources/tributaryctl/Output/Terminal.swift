import ArgumentParser
import Glibc
import TributaryAdmin

// This folder prints for people: tables, times, problems and hints, without control characters from outside.

struct Terminal: Sendable {
    let hasColor: Bool
    let isInteractive: Bool
    let showsProgress: Bool
    /// In columns; nil when the output is not a terminal.
    let width: Int?

    static let standard: Terminal = {
        let noColor = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
        let dumb = getenv("TERM").map { String(cString: $0) == "dumb" } ?? true
        return Terminal(
            hasColor: isatty(1) == 1 && !noColor && !dumb,
            isInteractive: isatty(1) == 1,
            showsProgress: isatty(2) == 1,
            width: columns()
        )
    }()

    static var lines: Int? {
        var size = winsize()
        guard isatty(1) == 1, ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else { return nil }
        return Int(size.ws_row)
    }

    var resized: Terminal {
        Terminal(
            hasColor: hasColor,
            isInteractive: isInteractive,
            showsProgress: showsProgress,
            width: Terminal.columns()
        )
    }

    private static func columns() -> Int? {
        if let text = getenv("COLUMNS"), let columns = Int(String(cString: text)), columns > 0 { return columns }
        var size = winsize()
        guard isatty(1) == 1, ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Ends the program when nothing can be written: silently for a closed pipe, otherwise with exit status 74.
    func print(_ line: String) {
        write(line.hasSuffix("\n") ? line : line + "\n", to: 1)
    }

    func print(fields: [(label: String, text: String?)], width: Int = 12, _ style: Style = .faint) {
        for case (let label, let text?) in fields {
            print(self.label(label, width: width, style) + EscapedText.escape(text))
        }
    }

    func label(_ label: String, width: Int, _ style: Style = .faint) -> String {
        styled(label, style) + String(repeating: " ", count: max(1, width - label.count))
    }

    func complain(_ message: String) {
        write("tributaryctl: \(EscapedText.lines(message).joined(separator: "\n"))\n", to: 2)
    }

    func failed(_ message: String, _ status: ExitStatus) -> ExitCode {
        complain(message)
        return ExitCode(status.rawValue)
    }

    func progress(_ line: String?) {
        let clear = "\r" + String(repeating: " ", count: 78) + "\r"
        write(clear + (line.map { String($0.prefix(78)) } ?? ""), to: 2)
    }

    func write(_ text: String, to descriptor: Int32 = 1) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                let error = errno
                if error == EINTR { continue }
                if error == EAGAIN, descriptor == 1, waitUntilWritable(descriptor) { continue }
                guard descriptor == 1 else { return }
                if error == EPIPE { exit(0) }
                complain("standard output cannot be written: \(String(cString: strerror(error)))")
                exit(74)
            }
            bytes = bytes.dropFirst(count)
        }
    }

    private func waitUntilWritable(_ descriptor: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&entry, 1, -1) > 0 || errno == EINTR
    }

    func styled(_ text: String, _ style: Style) -> String {
        hasColor ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }

    enum Style: String {
        case bold = "1"
        case faint = "2"
        case red = "31"
        case green = "32"
        case yellow = "33"
    }
}
