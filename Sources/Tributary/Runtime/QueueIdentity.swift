#if DEBUG
    import CLinux
    import Dispatch
    import Foundation
    import Synchronization

    enum QueueIdentity {
        private static let key = DispatchSpecificKey<String>()
        private static let mainName = "the main actor"
        private static let isMainMarked: Bool = {
            DispatchQueue.main.setSpecific(key: key, value: mainName)
            return true
        }()

        static func mark(_ queue: DispatchQueue, context name: String) {
            queue.setSpecific(key: key, value: "the queue of the context '\(name)'")
        }

        /// When false, only Swift can decide: the main actor may run a block on another queue.
        static var isSurelyMain: Bool {
            isMainMarked && (DispatchQueue.getSpecific(key: key) == mainName || Thread.isMainThread)
        }

        static var description: String {
            if isMainMarked, let known = DispatchQueue.getSpecific(key: key) { return known }
            let name = Thread.current.name.flatMap { $0.isEmpty ? nil : " '\($0)'" } ?? ""
            return "a thread\(name) of no context"
        }

        /// Only one check runs at a time, because the process has one text for the trap.
        private static let checking = Mutex(())

        /// Swift does not return from a failed check, so the text is set before the check.
        static func stopUnlessMain(_ text: String) {
            let bytes = Array("Tributary: \(text)\n".utf8CString.dropLast())
            checking.withLock { _ in
                bytes.withUnsafeBufferPointer { clinux_arm_last_words($0.baseAddress, $0.count) }
                MainActor.preconditionIsolated()
                clinux_disarm_last_words()
            }
        }
    }
#endif
