package import TransactionLog
package import TributaryChanges

/// A segment of inserts of employees with time-ordered IDs.
package struct EmployeeSegment: Sendable {
    package var writer: UniqueID
    package var transactions: Int
    package var changesEach: Int
    /// The milliseconds of the first clock: 2024-06-20, far behind any machine that runs the tests.
    package var firstMillisecond: UInt64 = 1_718_900_000_000

    package init(writer: UniqueID, transactions: Int, changesEach: Int) {
        self.writer = writer
        self.transactions = transactions
        self.changesEach = changesEach
    }

    package var changes: Int { transactions * changesEach }
    package var name: SegmentName { SegmentName(writer: writer, first: 1, last: UInt64(transactions)) }

    /// Writes the segment into the log folder at `logs` in the way that the format requires of every writer.
    package func publish(in logs: String) throws {
        let header = SegmentHeader(writer: writer, name: "sample", first: 1, last: UInt64(transactions))
        _ = try SegmentPublisher(LogFolder(path: logs)).publish(name, header: header.line) { file in
            for index in 0..<transactions {
                try file.append(lines: lines(ofTransaction: index), changes: changesEach)
            }
        }
    }

    private func lines(ofTransaction index: Int) -> [UInt8] {
        let clock = hexadecimal16((firstMillisecond + UInt64(index)) << 16)
        var text = "{\"transaction\":\(index + 1),\"clock\":\"\(clock)\",\"changes\":\(changesEach)}\n"
        for number in index * changesEach..<(index + 1) * changesEach {
            text += "{\"insert\":\"Employee\",\"id\":\"\(id(number))\",\"values\":"
            text += "{\"name\":\"Employee \(number)\",\"salary\":\(number % 5_000).5,\"department\":null}}\n"
        }
        return Array(text.utf8)
    }

    private func id(_ number: Int) -> String {
        let time = hexadecimal16(firstMillisecond + UInt64(number)).suffix(12)
        return "\(time.prefix(8))-\(time.suffix(4))-7000-8000-\(hexadecimal16(UInt64(number)).suffix(12))"
    }
}
