import Glibc
import TransactionLog

extension FileAttributes {
    init(_ status: stat) {
        self.init(
            device: UInt64(status.st_dev),
            inode: UInt64(status.st_ino),
            size: Int64(status.st_size),
            modified: FileTime(status.st_mtim),
            changed: FileTime(status.st_ctim)
        )
    }

    init(of file: OpenFile) throws(SegmentError) {
        var status = stat()
        guard fstat(file.descriptor, &status) == 0 else {
            throw SegmentError.system(errno, file: file.file, doing: "examine the file")
        }
        self.init(status)
    }
}
