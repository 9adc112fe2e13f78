package import TransactionLog
package import TributaryChanges

/// The model of the daemon's, the command's and the synchronization's tests: employees in departments.
package enum EmployeeModel {
    package static let text = text(adding: "")

    /// The model with a further attribute of employees, which `more` describes.
    package static func text(adding more: String) -> String {
        """
        version: "1"
        entities:
          Employee:
            attributes:
              name: {type: String}
              salary: {type: Double, optional: true, max: 100000}
              count: {type: Integer 64, optional: true}
              \(more)
            relationships:
              department: {to: Department, inverse: employees, optional: true}
          Department:
            attributes:
              title: {type: String, optional: true}
            relationships:
              employees: {to: Employee, inverse: department, many: true, optional: true}
        """
    }
}

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
        _ = try LogFolder(path: logs).publish(name, header: header.line) { file in
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

/// A model of people, departments and projects with every kind of property that predicates and sort keys can use.
package enum PredicateModel {
    package static let text = """
        version: "1"
        entities:
          Person:
            abstract: true
            attributes: {name: String?, born: Date?, photo: Binary?, site: URI?}
          Employee:
            parent: Person
            attributes:
              salary: Double?
              level: Integer 32?
              visits: Integer 64?
              active: Boolean?
              code: UUID?
              balance: Decimal?
              like: String?
              note: {type: String, optional: true, transient: true}
            relationships:
              department: {to: Department?, inverse: employees}
              projects: {to: Project, many: true, inverse: members}
              boss: {to: Employee?, inverse: reports}
              reports: {to: Employee, many: true, inverse: boss}
          Department:
            attributes: {title: String?}
            relationships:
              employees: {to: Employee, many: true, inverse: department}
              lead: {to: Employee?}
          Project:
            attributes: {title: String?, hours: Integer 64?}
            relationships: {members: {to: Employee, many: true, inverse: projects}}
        """
}
