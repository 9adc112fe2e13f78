import CSQLite

/// Measures the statements of one connection.
///
/// SQLite's own times have a resolution of milliseconds, so the tracer reads the clock itself. A statement that is read
/// in several steps counts from its first step until it is reset.
///
/// `@unchecked Sendable`: SQLite calls the tracer on the connection's queue only.
final class StatementTracer: @unchecked Sendable {
    private struct Run {
        let start: ContinuousClock.Instant
        var rows = 0
    }

    private let trace: SQLTrace
    private var runs: [OpaquePointer: Run] = [:]

    init(_ trace: SQLTrace) {
        self.trace = trace
    }

    /// Attaches the tracer to a connection, which must not outlive it.
    func watch(_ connection: OpaquePointer?) {
        let events = UInt32(SQLITE_TRACE_STMT | SQLITE_TRACE_ROW | SQLITE_TRACE_PROFILE)
        sqlite3_trace_v2(
            connection,
            events,
            { event, context, statement, _ in
                guard let context, let statement else { return 0 }
                let tracer = Unmanaged<StatementTracer>.fromOpaque(context).takeUnretainedValue()
                tracer.handle(Int32(bitPattern: event), OpaquePointer(statement))
                return 0
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    private func handle(_ event: Int32, _ statement: OpaquePointer) {
        switch event {
        case SQLITE_TRACE_STMT:
            // SQLite reports the triggers of a running statement under the pointer of that statement.
            if runs[statement] == nil { runs[statement] = Run(start: .now) }
        case SQLITE_TRACE_ROW: runs[statement]?.rows += 1
        default:
            guard let run = runs.removeValue(forKey: statement) else { return }
            trace.handler(text(statement), run.start.duration(to: .now), run.rows)
        }
    }

    private func text(_ statement: OpaquePointer) -> String {
        if trace.includesValues, let expanded = sqlite3_expanded_sql(statement) {
            defer { sqlite3_free(expanded) }
            return String(cString: expanded)
        }
        return sqlite3_sql(statement).map { String(cString: $0) } ?? ""
    }
}
