#if DEBUG
    import CLinux
    import Dispatch
    import Foundation
    import Synchronization

    /// Where the calling thread is, as far as contexts are concerned; for the check of debug builds.
    enum QueueIdentity {
        private static let key = DispatchSpecificKey<String>()
        private static let mainName = "the main actor"
        /// Done once, at the first question.
        private static let isMainMarked: Bool = {
            DispatchQueue.main.setSpecific(key: key, value: mainName)
            return true
        }()

        /// Makes the queue of a context known.
        static func mark(_ queue: DispatchQueue, context name: String) {
            queue.setSpecific(key: key, value: "the queue of the context '\(name)'")
        }

        /// Whether this is the main actor beyond doubt.
        ///
        /// When it is false Swift has to be asked: what the main actor has another queue run synchronously is the main actor
        /// still.
        static var isSurelyMain: Bool {
            isMainMarked && (DispatchQueue.getSpecific(key: key) == mainName || Thread.isMainThread)
        }

        /// For people.
        static var description: String {
            if isMainMarked, let known = DispatchQueue.getSpecific(key: key) { return known }
            let name = Thread.current.name.flatMap { $0.isEmpty ? nil : " '\($0)'" } ?? ""
            return "a thread\(name) of no context"
        }

        /// One check at a time: the text that goes with its trap is the process's only one.
        private static let checking = Mutex(())

        /// Has Swift decide whether this is the main actor; the program stops with the text when it is not.
        ///
        /// Swift alone knows what it and Dispatch have run synchronously on the way here, and it does not return when the
        /// answer is no. So the text waits for the trap.
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
