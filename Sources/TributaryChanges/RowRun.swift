/// Consecutive inserts or updates of a transaction with one entity, the same property names, and plain values only.
///
/// The values share memory: an import of changes instead takes 41 % more instructions. `@unchecked Sendable`: one
/// thread fills the run before other threads get it; afterwards it is only read.
package final class RowRun: @unchecked Sendable {
    @frozen
    package struct Cell: Sendable {
        @frozen
        package enum Kind: UInt8, Sendable { case null, no, yes, integer, double, number, text }

        package var kind: Kind
        package var length: UInt32 = 0
        /// The bits of an integer or a double, or the offset of a text.
        package var bits: UInt64 = 0

        @inlinable
        package init(_ kind: Kind, bits: UInt64 = 0, length: UInt32 = 0) {
            self.kind = kind
            self.bits = bits
            self.length = length
        }

        @inlinable package var integer: Int64 { Int64(bitPattern: bits) }
        @inlinable package var double: Double { Double(bitPattern: bits) }
    }

    package let isInsert: Bool
    package let entity: String
    package let names: [String]
    // One thread at a time fills a run: checking the exclusivity of each access would cost more than the access.
    @exclusivity(unchecked) @usableFromInline package var count = 0
    @exclusivity(unchecked) @usableFromInline var capacity: Int
    @usableFromInline let width: Int
    @exclusivity(unchecked) @usableFromInline var identifiers: UnsafeMutablePointer<UniqueID>
    @exclusivity(unchecked) @usableFromInline var cells: UnsafeMutablePointer<Cell>
    @exclusivity(unchecked) @usableFromInline var texts: UnsafeMutablePointer<UInt8>
    @exclusivity(unchecked) @usableFromInline var textCapacity: Int
    @exclusivity(unchecked) @usableFromInline package var textCount = 0

    package var byteCount: Int {
        200 + count * (MemoryLayout<UniqueID>.stride + width * MemoryLayout<Cell>.stride) + textCount
    }

    package init(isInsert: Bool, entity: String, names: [String], capacity: Int = 15) {
        // There is always room for the row that is being set.
        self.capacity = capacity + 1
        self.isInsert = isInsert
        self.entity = entity
        self.names = names
        width = names.count
        identifiers = .allocate(capacity: self.capacity)
        cells = .allocate(capacity: self.capacity * names.count)
        textCapacity = 64 * self.capacity
        texts = .allocate(capacity: textCapacity)
    }

    deinit {
        identifiers.deallocate()
        cells.deallocate()
        texts.deallocate()
    }

    /// For the row that ``append(_:)`` will add.
    @inlinable
    package func set(_ column: Int, to cell: Cell) {
        (cells + (count * width + column)).initialize(to: cell)
    }

    @inlinable
    package func set(_ column: Int, to text: UnsafeBufferPointer<UInt8>, as kind: Cell.Kind = .text) {
        if textCapacity - textCount < text.count { growTexts(by: text.count) }
        if let base = text.baseAddress { (texts + textCount).update(from: base, count: text.count) }
        set(column, to: Cell(kind, bits: UInt64(textCount), length: UInt32(text.count)))
        textCount += text.count
    }

    /// Every value of the row must have been set.
    @inlinable
    package func append(_ id: UniqueID) {
        (identifiers + count).initialize(to: id)
        count += 1
        if count == capacity { grow() }
    }

    @usableFromInline
    func grow() {
        identifiers = RowRun.moved(identifiers, count: capacity, to: capacity * 2)
        cells = RowRun.moved(cells, count: capacity * names.count, to: capacity * 2 * names.count)
        capacity *= 2
    }

    @usableFromInline
    func growTexts(by count: Int) {
        let larger = max(textCapacity * 2, textCount + count)
        texts = RowRun.moved(texts, count: textCount, to: larger)
        textCapacity = larger
    }

    /// Frees the memory beyond the existing rows; no row may follow.
    package func trim() {
        // Less than a quarter is not worth the copy.
        if count < capacity - capacity / 4 {
            identifiers = RowRun.moved(identifiers, count: count, to: count)
            cells = RowRun.moved(cells, count: count * width, to: count * width)
            capacity = count
        }
        guard textCount < textCapacity - textCapacity / 4 else { return }
        texts = RowRun.moved(texts, count: textCount, to: textCount)
        textCapacity = textCount
    }

    private static func moved<T>(
        _ memory: UnsafeMutablePointer<T>,
        count: Int,
        to capacity: Int
    ) -> UnsafeMutablePointer<T> {
        let other = UnsafeMutablePointer<T>.allocate(capacity: capacity)
        other.moveInitialize(from: memory, count: count)
        memory.deallocate()
        return other
    }

    @inlinable
    package func id(_ row: Int) -> UniqueID { identifiers[row] }

    @inlinable
    package func cell(_ row: Int, _ column: Int) -> Cell { cells[row * width + column] }

    /// The pointer is valid as long as the run exists.
    @inlinable
    package func text(_ cell: Cell) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: texts + Int(cell.bits), count: Int(cell.length))
    }

    package func value(_ row: Int, _ column: Int) -> JSONValue { value(of: cell(row, column)) }

    package func value(of cell: Cell) -> JSONValue {
        switch cell.kind {
        case .null: .null
        case .no: .boolean(false)
        case .yes: .boolean(true)
        case .integer: .integer(cell.integer)
        case .double: .double(cell.double)
        case .number: .number(String(decoding: text(cell), as: UTF8.self))
        case .text: .string(String(decoding: text(cell), as: UTF8.self))
        }
    }

    package func change(_ row: Int) -> Change {
        let writes = names.indices.map { PropertyWrite(name: names[$0], value: value(row, $0)) }
        return Change(entity: entity, id: id(row), operation: isInsert ? .insert(writes) : .update(writes))
    }

    package var changes: [Change] { (0..<count).map { change($0) } }
}

extension RowRun: Hashable {
    package static func == (left: RowRun, right: RowRun) -> Bool {
        left === right || left.count == right.count && left.changes == right.changes
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        hasher.combine(entity)
    }
}
