import CLinux
import Glibc
package import TributaryChanges

extension LogFolder {
    /// Returns the names in a writer's folder, unordered; empty when there is no folder.
    package func fileNames(of writer: UniqueID) throws(SegmentError) -> [String] {
        let path = "\(path)/\(writer)"
        let folder = clinux_openat(descriptor, writer.description, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0)
        guard folder >= 0 else {
            if errno == ENOENT { return [] }
            throw SegmentError.system(errno, file: path, doing: "open the writer's folder")
        }
        // The stream owns the descriptor from here on.
        guard let stream = fdopendir(folder) else {
            defer { close(folder) }
            throw SegmentError.system(errno, file: path, doing: "list the folder")
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
