import CLinux
import TributaryStore

extension FileMark {
    /// Reads the mark of the file at the path, behind symbolic links; nil when there is none.
    ///
    /// The birth time is 0 when the file system records none.
    init?(ofFile path: String) {
        var mark = clinux_file_mark()
        guard clinux_read_file_mark(path, &mark) == 0 else { return nil }
        self.init(inode: mark.inode, born: mark.born, fileSystem: mark.file_system)
    }
}

extension MarkedFile {
    /// Reads the mark of the file at the path; nil when there is none.
    init?(at path: String) {
        guard let mark = FileMark(ofFile: path) else { return nil }
        self.init(path: path, mark: mark)
    }
}
