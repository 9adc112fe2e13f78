import Foundation
import Synchronization
import TestSupport

/// The wrong clock of a machine: a library between its programs and the C library, and the lead in a file that both map.
final class ClockControl {
    private let library: String
    private let file: String
    private let memory: UnsafeMutableRawPointer

    init(in folder: TemporaryFolder) async throws {
        file = folder.path("clock")
        memory = try PreloadedLibrary.share(file, bytes: MemoryLayout<Int64>.size)
        library = try await PreloadedLibrary("clock", in: folder).path
    }

    deinit { munmap(memory, MemoryLayout<Int64>.size) }

    var environment: [String: String] { ["LD_PRELOAD": library, "TRIBUTARY_CLOCK": file] }

    func set(ahead lead: Duration) {
        memory.storeBytes(of: lead.components.seconds * 1_000, as: Int64.self)
        atomicMemoryFence(ordering: .sequentiallyConsistent)
    }
}
