import TransactionLog

/// The bytes of a segment; each read of them counts as a step of the import.
struct MeteredBytes<Source: SegmentBytes>: SegmentBytes {
    let source: Source
    let control: ImportControl

    init(_ source: Source, _ control: ImportControl) {
        self.source = source
        self.control = control
    }

    var file: String { source.file }

    func size() throws(SegmentError) -> UInt64 { try source.size() }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(SegmentError) -> Int {
        let count = try source.read(at: offset, into: buffer)
        control.step()
        return count
    }
}
