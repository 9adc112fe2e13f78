import CLinux
import Foundation
import Glibc
import NIOCore
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryClient
import TributarySync

// This folder examines a machine for faults that its administrator must correct: the configuration, files, groups and
// the unit.

/// Examines the needs of a daemon with this configuration, with the rights of its unit's user.
struct Doctor {
    private let daemon: Daemon
    private var sources: ConfigurationSources { daemon.sources }
    /// Nil when this machine has no such unit.
    let unit: UnitFacts?
    private var report: DoctorReport
    private var silent: Set<String> = []

    /// Takes the rights of the unit's user.
    init(_ daemon: Daemon) throws {
        let service = daemon.sources.meaningService
        unit = service.unit
        self.daemon = Daemon(sources: service.examined(as: unit), logLevel: daemon.logLevel, logger: daemon.logger)
        try unit?.assumeUser()
        report = DoctorReport(user: Doctor.userName, unit: unit?.name)
    }

    static var userName: String {
        Accounts.userName(of: geteuid()) ?? "\(geteuid())"
    }

    /// O(n) for the configured keys and folders; asks a running daemon for its status, but does not start a daemon.
    mutating func examine() async -> DoctorReport {
        examineUnit()
        do {
            var configuration = try Configuration.load(sources)
            report.add("settings", .good, configuration.file.map { "\($0)" } ?? "all have their defaults")
            for file in configuration.unreadFiles {
                report.add("settings", .notice, Configuration.textOfUnread(file))
            }
            examineStore(configuration)
            examineFolders(configuration)
            // Each of these reads the folder of the store.
            if !silent.contains(configuration.store.folder) {
                examineModel(configuration)
                examineHiddenFiles(configuration)
                examineKeys(&configuration)
            }
            examineGroups(configuration)
            examineNetwork(configuration)
            await examineReplicator(configuration)
            examineDisks(configuration)
            await examineStatus(configuration)
        } catch {
            report.add("settings", .problem, "\(error)", [checkCommand])
        }
        examineClock()
        return report
    }

    private var checkCommand: String {
        "sudo tributaryd --check-config" + (sources.file.map { " --config \($0.shellWord)" } ?? "")
    }

    // MARK: The unit

    private mutating func examineUnit() {
        guard let unit else {
            return report.add("service", .notice, "this machine has no unit for this configuration, or no systemd")
        }
        if !unit.user.isEmpty, unit.user != report.user {
            let words =
                "user \(report.user) asks: the service has the rights of user \(unit.user), and may find other problems"
            let options = sources.file.map { " --config \($0.shellWord)" } ?? ""
            report.add("user", .notice, words, ["sudo tributaryctl doctor" + options])
        }
        let since = unit.properties.since
        let state = "\(unit.name) is \(unit["ActiveState"])" + (since.isEmpty ? "" : " since \(since)")
        switch unit["ActiveState"] {
        case "active", "reloading", "activating": report.add("service", .good, state)
        case "failed":
            let journal = "sudo journalctl -u \(unit.name) -n 20"
            report.add(
                "service",
                .problem,
                "\(state) (\(unit["Result"]))",
                [journal, "sudo systemctl restart \(unit.name)"]
            )
        default: report.add("service", .notice, state, ["sudo systemctl start \(unit.name)"])
        }
        if unit["UnitFileState"] == "disabled" {
            report.add("service", .notice, "it does not start at a boot", ["sudo systemctl enable \(unit.name)"])
        }
        if let (found, packaged) = unit.otherCommand {
            let words =
                "it starts '\(found)', and not '\(packaged)': the settings of other options are not examined here"
            report.add("service", .notice, words, ["systemctl cat \(unit.name)"])
        }
        for (name, source) in unit.variableSources { report.add("settings", .good, "\(source) sets \(name)") }
        for file in unit.unreadableFiles {
            let words = "'\(file)', which EnvironmentFile= names, cannot be read: its settings are not examined here"
            report.add("settings", .notice, words, ["systemctl cat \(unit.name)"])
        }
    }

    // MARK: Files

    private mutating func examineStore(_ configuration: Configuration) {
        do throws(StartFailure) {
            try StoreRecord(sources).demand(configuration)
        } catch {
            report.add("store", .problem, "\(error)")
        }
    }

    private mutating func examineFolders(_ configuration: Configuration) {
        let folders = [("store", configuration.store.folder), ("logs", configuration.logs)]
        for (subject, folder) in folders {
            // A mount that does not respond must not delay the rest.
            guard let isThere = BoundedWait.result(within: .seconds(2), { access(folder, F_OK) == 0 }) else {
                silent.insert(folder)
                report.add(
                    subject,
                    .problem,
                    "the folder '\(folder)' does not answer",
                    ["findmnt -T \(folder.shellWord)"]
                )
                continue
            }
            guard isThere else {
                // A running service has lost it.
                let isMade =
                    unit?.isActive != true && (subject == "store" || configuration[originOf: \.logs] == .standard)
                let text = "the folder '\(folder)' is not there" + (isMade ? "; the start makes it" : "")
                let commands = [
                    "sudo install -d -o \(unit?.user ?? report.user) -g tributary-logs -m 2770 \(folder.shellWord)"
                ]
                report.add(subject, isMade ? .good : .problem, text, isMade ? [] : commands)
                continue
            }
            let real = RealPath.resolved(folder)
            guard access(folder, W_OK | X_OK) == 0 else {
                let reason = String(cString: strerror(errno))
                let group = subject == "store" ? "tributary-readers" : "tributary-logs"
                let mode = subject == "store" ? "750" : "2770"
                let change = unit.map { unit in
                    ["sudo chown \(unit.user):\(group) \(folder.shellWord)", "sudo chmod \(mode) \(folder.shellWord)"]
                }
                report.add(
                    subject,
                    .problem,
                    "user \(report.user) cannot write in '\(folder)': \(reason)",
                    (change ?? []) + ["namei -l \(folder.shellWord)"]
                )
                continue
            }
            if let unit, let obstacle = unit.obstacle(at: real) {
                report.add(subject, .problem, Doctor.text(obstacle, folder), unit.commands(opening: [real]))
            } else if subject == "logs", let finding = Doctor.sharing(folder) {
                report.findings.append(finding)
            } else {
                report.add(subject, .good, "user \(report.user) can write in '\(folder)'")
            }
        }
    }

    private static func text(_ obstacle: UnitFacts.Obstacle, _ folder: String) -> String {
        switch obstacle {
        case .readOnly: "the unit's sandbox keeps the service from writing in '\(folder)'"
        case .hidden(let setting): "the unit's sandbox (\(setting)=) hides '\(folder)' from the service"
        }
    }

    /// A replicator runs as another user and needs the group of the daemon's files; nil without a finding.
    private static func sharing(_ folder: String) -> DoctorReport.Finding? {
        var owner = clinux_file_owner()
        guard let group = Accounts.groupID(named: "tributary-logs"), clinux_read_file_owner(folder, 1, &owner) == 0
        else { return nil }
        let isShared = owner.group == group && owner.mode & 0o2070 == 0o2070
        guard !isShared else { return nil }
        let commands = ["sudo chgrp tributary-logs \(folder.shellWord)", "sudo chmod 2770 \(folder.shellWord)"]
        let text =
            "'\(folder)' is not shared with the group tributary-logs: a replicator may not read what is published"
        return DoctorReport.Finding("logs", .notice, text, commands)
    }

    private mutating func examineModel(_ configuration: Configuration) {
        do {
            for line in try daemon.forecast(configuration) { report.add("model", .good, line) }
        } catch {
            report.add("model", .problem, "\(error)", [checkCommand])
        }
    }

    /// The service reads these files, and its user could read them outside of the sandbox.
    private mutating func examineHiddenFiles(_ configuration: Configuration) {
        let files = [
            ("model", configuration.model), ("keys", configuration.encryptionKeyFile),
            ("keys", configuration.replicator.syncthing.keyFile),
        ]
        for (subject, file) in files {
            guard let file, case .hidden(let setting) = unit?.obstacle(at: RealPath.resolved(file)) else { continue }
            let words =
                "the unit's sandbox (\(setting)=) hides '\(file)' from the service: name its new place in the "
                + "configuration, after the command"
            report.add(subject, .problem, words, ["sudo mv -- \(file.shellWord) /etc/tributary/"])
        }
    }

    private mutating func examineKeys(_ configuration: inout Configuration) {
        do {
            try configuration.readEncryptionKeys()
            let count = configuration.sync.encryption.keys.count
            report.add(
                "keys",
                .good,
                count == 0 ? "segments are not encrypted" : "the key file has \(count) key\(count == 1 ? "" : "s")"
            )
        } catch {
            report.add("keys", .problem, "\(error)")
        }
        let own = configuration.store + "-key"
        do throws(KeyFileError) {
            if let key = try KeyFile.read(own, ownedBy: geteuid()) {
                report.add("keys", .good, "this store signs with the key \(key.publicKey)")
            }
        } catch {
            report.add("keys", .problem, "the key of the store cannot be used: \(error)")
        }
        do throws(KeyFileError) {
            try StoreTrust.examine(besideStore: configuration.store)
        } catch {
            report.add("keys", .problem, "the list of keys cannot be used: \(error)")
        }
        if let path = configuration.replicator.syncthing.keyFile, access(path, R_OK) != 0 {
            let reason = String(cString: strerror(errno))
            let words = "replicator.syncthing.key_file: '\(path)' cannot be read by user \(report.user): \(reason)"
            let commands = ["sudo chgrp tributary \(path.shellWord)", "sudo chmod 640 \(path.shellWord)"]
            report.add("keys", .problem, words, commands)
        }
    }

    // MARK: Groups, network, clock and disks

    private mutating func examineGroups(_ configuration: Configuration) {
        for group in configuration.admin.writers ?? [] where Accounts.groupID(named: group) == nil {
            let meant = String.question(meaning: Accounts.groupMeant(by: group))
            let words = "admin.writers names the group '\(group)', which this machine does not have\(meant)"
            report.add("groups", .problem, words, ["sudo groupadd --system \(group.shellWord)"])
        }
        guard unit != nil else { return }
        for group in ["tributary-admin", "tributary-logs", "tributary-readers"]
        where Accounts.groupID(named: group) == nil {
            report.add("groups", .problem, "the group '\(group)' does not exist", ["sudo systemd-sysusers"])
        }
    }

    private mutating func examineNetwork(_ configuration: Configuration) {
        let syncthing = configuration.replicator.syncthing
        let wants = [
            configuration.admin.listen.map { _ in "admin.listen" },
            syncthing.folder.map { _ in "replicator.syncthing" },
        ].compactMap(\.self)
        if let unit, !unit.hasNetwork, !wants.isEmpty {
            let words =
                "\(wants.joined(separator: " and ")) needs this machine's loopback addresses, which the unit keeps out"
            report.add("network", .problem, words, UnitFacts.commandsForNetwork(of: unit.name))
        }
        if let address = configuration.admin.listen, unit?.isActive != true,
            let code = Doctor.reasonNotToListen(on: address)
        {
            let words =
                code == EADDRINUSE
                ? "another program listens at admin.listen, \(address)"
                : "user \(report.user) cannot listen at admin.listen, \(address): \(String(cString: strerror(code)))"
            report.add("network", .problem, words, ["sudo ss --listening --tcp --processes 'sport = :\(address.port)'"])
        }
    }

    private static let answerLimit = Duration.seconds(5)

    private mutating func examineReplicator(_ configuration: Configuration) async {
        let syncthing = configuration.replicator.syncthing
        guard let folder = syncthing.folder, let keyFile = syncthing.keyFile else { return }
        var client = SyncthingClient(address: syncthing.address, keyFile: keyFile)
        client.timeLimit = Doctor.answerLimit
        do throws(SyncthingError) {
            _ = try await client.folder(folder)
            report.add("replicator", .good, "Syncthing answers at \(syncthing.address.url)")
        } catch {
            let commands =
                switch error {
                case .wrongKey: [SyncthingError.commandToSetKey(in: keyFile)]
                case .unreachable, .silent: ["systemctl status 'syncthing@*.service'"]
                default: [String]()
                }
            // A file that cannot be read is a finding of the keys.
            if case .badKeyFile = error, access(keyFile, R_OK) != 0 { return }
            report.add("replicator", .problem, error.description.sentenceWithoutStop, commands, hint: error.hint)
        }
    }

    // MARK: The running daemon

    private mutating func examineStatus(_ configuration: Configuration) async {
        // Systemd would start the service for a client.
        guard unit?.isActive != false else { return }
        let options = unit?.instance.map { "--instance \($0.shellWord) " } ?? ""
        let client = AdminClient(sockets: [unit?.socket ?? configuration.admin.socket], timeout: Doctor.answerLimit)
        do {
            let status = try await client.send(AdminCall(.get, .status)).orProblem().decode(StatusMessage.self)
            for (level, problems) in [
                (DoctorReport.Level.problem, status.problems), (.notice, status.notices ?? []),
            ] {
                for problem in problems {
                    let text = "\(problem.code): \(problem.detail.sentenceWithoutStop)"
                    let hint = problem.hint.map { HintCommands.text($0, adding: options) }
                    report.add("status", level, text, hint: hint)
                }
            }
            if status.problems.isEmpty { report.add("status", .good, "the daemon reports no problem") }
        } catch {
            // Without a unit, the daemon may be stopped.
            guard unit != nil else { return }
            report.add("status", .notice, "the daemon was not asked: \(error)", ["tributaryctl \(options)status"])
        }
    }

    /// `errno` of an attempt to listen; nil for a success.
    static func reasonNotToListen(on address: LoopbackAddress) -> Int32? {
        var code = EAFNOSUPPORT
        let isFree = withSocket(address) { descriptor, place, size in
            var on: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
            let isFree = Glibc.bind(descriptor, place, size) == 0
            code = errno
            return isFree
        }
        return isFree ? nil : code
    }

    private static func withSocket(
        _ address: LoopbackAddress,
        _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Bool
    ) -> Bool {
        guard let place = try? SocketAddress(ipAddress: address.host, port: address.port) else { return false }
        let descriptor = socket(place.protocol == .inet6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return place.withSockAddr { body(descriptor, $0, socklen_t($1)) }
    }

    private mutating func examineDisks(_ configuration: Configuration) {
        for (place, folder) in [(DiskVolume.Place.store, configuration.store.folder), (.logs, configuration.logs)] {
            guard !silent.contains(folder), let volume = DiskVolume(of: folder, place) else { continue }
            guard let (severity, problem) = volume.finding(configuration.disk) else {
                report.add("disk", .good, "'\(folder)' has \(ByteText.text(volume.free)) free")
                continue
            }
            report.add("disk", severity == .problem ? .problem : .notice, problem.detail, ["df -h \(folder.shellWord)"])
        }
    }

    private mutating func examineClock() {
        let query = ["timedatectl", "show", "--property=NTPSynchronized"]
        guard let shown = try? CommandRun(query, timeLimit: CommandRun.queryLimit), shown.status == 0 else { return }
        if shown.output.contains("=yes") {
            report.add("clock", .good, "it is set from the network")
        } else {
            let words = "it is not set from the network: a clock that is ahead wins over other machines"
            report.add("clock", .notice, words, ["timedatectl", "sudo timedatectl set-ntp true"])
        }
    }
}

extension UnitFacts {
    static func commandsForNetwork(of unit: String) -> [String] {
        let target = "\(dropInFolder(of: unit))/network.conf"
        return [
            "sudo install -m 644 -D /usr/share/tributary/network.conf \(target)", "sudo systemctl daemon-reload",
            "sudo systemctl restart \(unit)",
        ]
    }

    func commands(opening folders: [String]) -> [String] {
        let lines = dropIn(opening: folders).split(separator: "\n").map { String($0).shellWord }
        return [
            "sudo mkdir -p \(dropInFolder)",
            "printf '%s\\n' \(lines.joined(separator: " ")) | sudo tee \(dropInFolder)/folders.conf",
            "sudo systemctl daemon-reload", "sudo systemctl restart \(name)",
        ]
    }
}

extension ConfigurationSources {
    /// The caller of a check means the service's store; without a named file, the user's own file comes first.
    var meaningService: ConfigurationSources {
        guard environment["STATE_DIRECTORY"] == nil else { return self }
        var sources = self
        let variable = environment["TRIBUTARY_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
        if let named = sources.file ?? variable {
            sources.file = ConfigurationFile.absolute(named, in: workingDirectory)
        } else {
            let service = DefaultPaths(environment: environment, serviceState: DefaultPaths.serviceState).configuration
            let hasOwn = FileManager.default.fileExists(atPath: paths.configuration)
            guard !hasOwn, FileManager.default.fileExists(atPath: service) else { return self }
            sources.file = service
        }
        sources.environment["STATE_DIRECTORY"] = sources.file.flatMap(DefaultPaths.serviceState(configuredBy:))
        return sources
    }

    /// The service has the variables of its unit, not of the shell, and a socket from systemd.
    func examined(as unit: UnitFacts?) -> ConfigurationSources {
        guard let unit else { return self }
        var sources = self
        sources.hasSocketUnit = true
        sources.environment = environment.filter { !$0.key.hasPrefix("TRIBUTARY_") }.merging(unit.variables) { $1 }
        return sources
    }

    var unit: UnitFacts? { file.flatMap(UnitFacts.name(configuredBy:)).flatMap(UnitFacts.init(asking:)) }
}

extension String {
    fileprivate var sentenceWithoutStop: String { hasSuffix(".") ? String(dropLast()) : self }
}
