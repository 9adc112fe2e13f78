import Foundation
import TestSupport
import Testing

/// A library of `Tests/Faults` that stands between a program and the C library.
struct PreloadedLibrary {
    let path: String

    /// The reason why the machine cannot run the test; nil when it can.
    static var reasonNotToPreload: String? {
        compiler == nil ? "the libraries in Tests/Faults need gcc, which compiles them" : nil
    }

    private static let compiler: String? = {
        let places = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return places.map { "\($0)/gcc" }.first(where: FileManager.default.isExecutableFile)
    }()

    /// Compiles `Tests/Faults/NAME.c` into a folder.
    init(_ name: String, in folder: TemporaryFolder) async throws {
        path = folder.path("\(name).so")
        let messages = folder.path("gcc-\(name).txt")
        let compilation = try ChildProcess(
            try #require(Self.compiler),
            ["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", path, PackageFolder.path("Tests/Faults/\(name).c")],
            errors: messages
        )
        let ending = await compilation.ending()
        try #require(ending == .exited(0), "\((try? String(contentsOfFile: messages, encoding: .utf8)) ?? "")")
    }

    /// Maps a new file of zeros, which the test and the library share.
    static func share(_ path: String, bytes: Int) throws -> UnsafeMutableRawPointer {
        try Data(count: bytes).write(to: URL(fileURLWithPath: path))
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        defer { close(descriptor) }
        let mapped = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        return try #require(mapped != MAP_FAILED ? mapped : nil, "\(path) cannot be mapped")
    }
}
