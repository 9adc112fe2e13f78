#if DEBUG
    import Dispatch
    import Foundation
    import Glibc

    /// Where the calling thread is, as far as contexts are concerned; for the check of debug builds.
    enum Whereabouts {
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

        /// Says something where it is seen when the program stops right after it.
        static func say(_ text: String) {
            let bytes = Array("Tributary: \(text)\n".utf8)
            _ = write(STDERR_FILENO, bytes, bytes.count)
        }
    }
#endif
