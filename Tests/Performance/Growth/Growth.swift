import Foundation
import TestSupport

/// Shows how cost grows: every row is measured at n, 2n and 4n, and fails when it grows faster than its stated order.
///
///     swift run -c release --static-swift-stdlib growth [--rows] [PART-OF-A-TITLE ...]
///
/// Cost is processor time of the whole process, the least of three runs, or a count of steps where the row has one.
/// The exit status is 1 when a row fails.
@main
struct Growth {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.count == 2, arguments.first == DigestRow.argument, let path = arguments.last {
            return try DigestRow.digest(path)
        }
        let rows = ContextRows.all + ImportRows.all + StoreRows.all + PlanningRows.all + ModelRows.all + [DigestRow.row]
        if arguments == ["--rows"] {
            for row in rows { print(row.title) }
            return
        }
        let chosen = rows.filter { row in arguments.isEmpty || arguments.contains { row.title.contains($0) } }
        guard !chosen.isEmpty else {
            print("no row has a title like that; --rows lists them")
            exit(64)
        }
        print(GrowthLine.heading)
        var failures = 0
        for row in chosen {
            let line = try await row.measured()
            print(line.text)
            if !line.passes { failures += 1 }
        }
        print(
            failures == 0
                ? "all \(chosen.count) rows grow as stated"
                : "\(failures) of \(chosen.count) rows grow faster than stated"
        )
        exit(failures == 0 ? 0 : 1)
    }
}
