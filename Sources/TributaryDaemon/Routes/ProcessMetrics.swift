import Foundation
import Glibc

/// The process metrics of Prometheus's client libraries, from `/proc/self`.
enum ProcessMetrics {
    static func add(to text: inout MetricsText) {
        let page = Double(max(0, sysconf(Int32(_SC_PAGESIZE))))
        let ticks = Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
        if let fields = fields(ofStat: try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8)) {
            let processor = (fields.number(13) + fields.number(14)) / ticks
            text.add(
                "process_cpu_seconds_total",
                .counter,
                "Processor time, of the program and the kernel.",
                [([], processor)]
            )
            text.gauge("process_virtual_memory_bytes", "Size of the address space.", fields.number(22))
            text.gauge("process_resident_memory_bytes", "Size of the memory in use.", fields.number(23) * page)
            let boot = bootTime()
            text.gauge(
                "process_start_time_seconds",
                "Unix time of the start of the process.",
                boot.map { $0 + fields.number(21) / ticks }
            )
        }
        let open = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        text.gauge("process_open_fds", "Open files.", open.map { Double(max(0, $0 - 1)) })
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
            text.gauge("process_max_fds", "The number of files that may be open.", Double(limit.rlim_cur))
        }
    }

    private struct Fields {
        var texts: [Substring]

        /// A field by its index, which is one less than its number in proc(5).
        func number(_ index: Int) -> Double { texts.indices.contains(index) ? Double(texts[index]) ?? 0 : 0 }
    }

    /// The second field is the program's name in parentheses, which may contain anything.
    private static func fields(ofStat text: String?) -> Fields? {
        guard let text, let end = text.lastIndex(of: ")") else { return nil }
        return Fields(texts: ["", ""] + text[text.index(after: end)...].split(separator: " "))
    }

    /// The start of a process is relative to it, in Unix seconds.
    private static func bootTime() -> Double? {
        guard let text = try? String(contentsOfFile: "/proc/stat", encoding: .utf8) else { return nil }
        return text.split(separator: "\n").first { $0.hasPrefix("btime ") }.flatMap { Double($0.dropFirst(6)) }
    }
}
