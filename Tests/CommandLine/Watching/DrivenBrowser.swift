import Foundation
import TestSupport

/// Chromium without a window, whose keys a test presses: the DevTools protocol over two named pipes.
///
/// A message is JSON with a NUL after it; the browser reads from its descriptor 3 and writes to 4.
final class DrivenBrowser {
    private let process: ChildProcess
    private let requests: FileHandle
    private let answers: FileHandle
    private var received: [UInt8] = []
    private var number = 0
    private var session: String?

    struct Silent: Error {
        var after: String
    }

    private static let patience: TimeInterval = 120

    init(showing address: String, in folder: TemporaryFolder) async throws {
        let pipes = ["requests", "answers"].map { folder.path("devtools-\($0)") }
        // Open at both ends here, so that no opening waits for the other side.
        let ends = try pipes.map { path -> FileHandle in
            guard mkfifo(path, 0o600) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
            let descriptor = open(path, O_RDWR | O_CLOEXEC)
            guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
            return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        }
        (requests, answers) = (ends[0], ends[1])
        let options =
            Browser.options + [
                "--window-size=1200,900", "--user-data-dir=\(folder.path("driven"))", "--remote-debugging-pipe",
                "about:blank",
            ]
        process = try ChildProcess(
            "/bin/sh",
            ["-c", "exec \"$@\" 3<\"$REQUESTS\" 4>\"$ANSWERS\"", "sh", Browser.program] + options,
            environment: ["REQUESTS": pipes[0], "ANSWERS": pipes[1]],
            errors: folder.path("driven.log")
        )
        try ask("Browser.grantPermissions", ["permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]])
        let target = try ask("Target.createTarget", ["url": address])["targetId"] as? String ?? ""
        let attached = try ask("Target.attachToTarget", ["targetId": target, "flatten": true])
        session = attached["sessionId"] as? String
        // As in a window that has the focus.
        try ask("Emulation.setFocusEmulationEnabled", ["enabled": true])
        try ask("Page.bringToFront")
        try await wait(for: "document.readyState === 'complete' && !!document.getElementById('content')")
    }

    deinit { process.send(SIGKILL) }

    /// Ends the browser.
    func close() async {
        session = nil
        _ = try? ask("Browser.close")
        process.send(SIGKILL)
        _ = await process.ending()
    }

    /// The value of an expression in the page, by which the page is looked at and not used.
    func value(_ expression: String) throws -> Any? {
        let answer = try ask(
            "Runtime.evaluate",
            ["expression": expression, "returnByValue": true, "awaitPromise": true]
        )
        if let failure = answer["exceptionDetails"] { throw Silent(after: "\(expression): \(failure)") }
        return (answer["result"] as? [String: Any])?["value"]
    }

    func wait(for condition: String) async throws {
        let end = Date(timeIntervalSinceNow: Self.patience)
        while (try? value(condition) as? Bool) != true {
            guard Date() < end else { throw Silent(after: condition) }
            await Task.yield()
        }
    }

    enum Key: String {
        case tab = "Tab"
        case enter = "Enter"
        case space = "Space"
        case right = "ArrowRight"

        fileprivate var members: [String: Any] {
            switch self {
            case .tab: ["key": "Tab", "windowsVirtualKeyCode": 9]
            case .enter: ["key": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"]
            case .space: ["key": " ", "windowsVirtualKeyCode": 32, "text": " "]
            case .right: ["key": "ArrowRight", "windowsVirtualKeyCode": 39]
            }
        }
    }

    func press(_ key: Key) throws {
        let members = key.members.merging(["code": key.rawValue]) { $1 }
        try ask("Input.dispatchKeyEvent", members.merging(["type": "keyDown"]) { $1 })
        try ask("Input.dispatchKeyEvent", members.merging(["type": "keyUp"]) { $1 })
    }

    /// Sends a request, and returns its result.
    @discardableResult
    func ask(_ method: String, _ parameters: [String: Any] = [:]) throws -> [String: Any] {
        number += 1
        var request: [String: Any] = ["id": number, "method": method, "params": parameters]
        if let session { request["sessionId"] = session }
        try requests.write(contentsOf: JSONSerialization.data(withJSONObject: request) + [0])
        while true {
            let message = try next(after: method)
            // Events have no number.
            guard message["id"] as? Int == number else { continue }
            if let error = message["error"] { throw Silent(after: "\(method): \(error)") }
            return message["result"] as? [String: Any] ?? [:]
        }
    }

    private func next(after method: String) throws -> [String: Any] {
        while true {
            if let end = received.firstIndex(of: 0) {
                let message = Data(received[..<end])
                received.removeFirst(end + 1)
                return try JSONSerialization.jsonObject(with: message) as? [String: Any] ?? [:]
            }
            var ready = pollfd(fd: answers.fileDescriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&ready, 1, Int32(Self.patience * 1_000)) > 0 else { throw Silent(after: method) }
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            let count = read(answers.fileDescriptor, &buffer, buffer.count)
            guard count > 0 else { throw Silent(after: method) }
            received += buffer[..<count]
        }
    }
}
