import TributaryChanges

/// One kind of change: the lines of a segment for the import, and the rows with which the plain loop does the same.
struct Work: Sendable {
    let title: String
    /// Nil for what only prepares.
    var bounds: Bounds?
    /// What the plain loop does, and what it does not.
    var beside = ""
    /// There are so many changes for each employee of the workload.
    var share = 1.0
    var segments = 1
    /// The segment is of a writer whose clocks are before those of all others.
    var isLate = false
    /// The bounds of the store's size afterwards, with the title of that row.
    var size: (title: String, bounds: Bounds)?
    let statement: String
    let change: @Sendable (Workload, Int) -> (line: String, row: [PlainValue])

    private func count(_ workload: Workload) -> Int { Int(Double(workload.count) * share) }

    func changes(_ workload: Workload) -> [(line: String, row: [PlainValue])] {
        (0..<count(workload)).map { change(workload, $0) }
    }

    /// The rows of the table that the work makes.
    func comparisons(_ workload: Workload) -> (time: Comparison?, size: Comparison?) {
        let size = size.map { title, bounds in
            let beside = "In MiB; the plain table has the same columns and a UNIQUE _id, and no versions."
            return Comparison(title, bounds, beside: beside)
        }
        return (bounds.map { Comparison(title, $0, beside: beside, count: count(workload)) }, size)
    }

    /// The works that one store takes after another, with a fresh store for each list.
    static let series = [
        [
            inserts(
                "inserts, time-ordered IDs, one segment",
                .atLeast(goal: 0.85, limit: 0.35),
                size: ("size after inserting, to the plain table", .atMost(goal: 1.25, limit: 1.25))
            ),
            Work(
                title: "updates of one column, random order",
                bounds: .atLeast(goal: 1.5, limit: 0.55),
                beside: "The plain loop updates by _id in the same order; it compares no clocks.",
                size: ("size after updating every row", .atMost(goal: 1.35, limit: 1.35)),
                statement: "UPDATE Employee SET salary = ? WHERE _id = ?"
            ) { workload, position in update(workload, position, by: 1_000) },
            Work(
                title: "updates of one column that lose, random order",
                bounds: .atLeast(goal: 3, limit: 0.5),
                beside: "The plain loop writes them all, into a copy of its table; it compares no clocks.",
                share: 0.5,
                isLate: true,
                statement: "UPDATE Employee SET salary = ? WHERE _id = ?"
            ) { workload, position in update(workload, position, by: 2_000) },
            Work(
                title: "deletes, random order",
                bounds: .atLeast(goal: 1, limit: 0.3),
                beside: "The plain loop deletes by _id; it keeps nothing of what was deleted.",
                share: 0.5,
                statement: "DELETE FROM Employee WHERE _id = ?"
            ) { workload, position in
                let id = workload.ids[workload.randomOrder[position]]
                return (#"{"delete":"Employee","id":"\#(id)"}"#, [PlainValue(id)])
            },
        ],
        [inserts("inserts, time-ordered IDs, 20 segments", .atLeast(goal: 1, limit: 0.33), segments: 20)],
        [
            named("Member", share: 0.5), named("Team", share: 0.5), named("Course", share: 0.5),
            Work(
                title: "links, to-one",
                bounds: .atLeast(goal: 1, limit: 0.28),
                beside:
                    "The plain loop updates the column, which has an index; it compares no clocks and asks for no target.",
                share: 0.5,
                statement: "UPDATE Member SET team = ? WHERE _id = ?"
            ) { workload, index in
                let (id, team) = (workload.ids[index], workload.ids[index % Workload.groups])
                let line = #"{"update":"Member","id":"\#(id)","values":{"team":"\#(team)"}}"#
                return (line, [PlainValue(team), PlainValue(id)])
            },
            Work(
                title: "links, many-to-many",
                bounds: .atLeast(goal: 1, limit: 0.1),
                beside:
                    "The plain loop inserts pairs into a table with two indexes; it compares no clocks and asks for no ends.",
                share: 0.5,
                statement: "INSERT INTO Course_members(_source, _target) VALUES (?, ?)"
            ) { workload, index in
                let (id, course) = (workload.ids[index], workload.ids[index * 7 % Workload.groups])
                let line = #"{"link":"Member","id":"\#(id)","to":"courses","ids":["\#(course)"]}"#
                return (line, [PlainValue(course), PlainValue(id)])
            },
        ],
    ]

    static let insert = """
        INSERT INTO Employee(_id, name, note, salary, hired, badge, active) VALUES (?, ?, ?, ?, ?, ?, ?)
        """

    private static func inserts(
        _ title: String,
        _ bounds: Bounds,
        segments: Int = 1,
        size: (String, Bounds)? = nil
    ) -> Work {
        Work(
            title: title,
            bounds: bounds,
            beside: "The plain loop inserts rows that are in memory; it reads no log and keeps no versions.",
            segments: segments,
            size: size,
            statement: insert
        ) { workload, index in (workload.insert(index), row(workload, index)) }
    }

    static func row(_ workload: Workload, _ index: Int) -> [PlainValue] {
        [
            PlainValue(workload.ids[index]), PlainValue(workload.name(index)), PlainValue(workload.note(index)),
            .real(workload.salary(index)), .real(Double(workload.hired(index)) ?? 0), .integer(workload.badge(index)),
            .integer(workload.isActive(index) ? 1 : 0),
        ]
    }

    private static func update(
        _ workload: Workload,
        _ position: Int,
        by amount: Double
    ) -> (line: String, row: [PlainValue]) {
        let index = workload.randomOrder[position]
        let (id, salary) = (workload.ids[index], workload.salary(index) + amount)
        return (
            #"{"update":"Employee","id":"\#(id)","values":{"salary":\#(salary)}}"#, [.real(salary), PlainValue(id)]
        )
    }

    /// Objects that have a name.
    private static func named(_ entity: String, share: Double) -> Work {
        Work(title: entity, share: share, statement: "INSERT INTO \(entity)(_id, name) VALUES (?, ?)") {
            let (id, name) = ($0.ids[$1], "\(entity) \($1)")
            let line = #"{"insert":"\#(entity)","id":"\#(id)","values":{"name":"\#(name)"}}"#
            return (line, [PlainValue(id), PlainValue(name)])
        }
    }
}
