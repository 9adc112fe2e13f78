package import TributaryAdmin
import TributaryChanges

package enum SyncthingError: Error, Hashable, Sendable {
    case badKeyFile(String, reason: String)
    case unreachable(LoopbackAddress, reason: String)
    case silent(LoopbackAddress, after: Duration)
    /// Another program answers at the address.
    case noSyncthing(LoopbackAddress, reason: String)
    case wantsTLS(LoopbackAddress)
    case wrongKey(LoopbackAddress, keyFile: String)
    case noSuchFolder(LoopbackAddress)
    case refused(LoopbackAddress, status: Int, answer: String)

    init(status: Int, answer: [UInt8], client: SyncthingClient) {
        let text = String(decoding: answer.prefix(300), as: UTF8.self)
        switch status {
        case 301, 302, 307, 308: self = .wantsTLS(client.address)
        case 401, 403: self = .wrongKey(client.address, keyFile: client.keyFile)
        case 404 where text.contains("page not found"):
            self = .noSyncthing(client.address, reason: "it does not know the request")
        case 404: self = .noSuchFolder(client.address)
        case 500 where text.lowercased().contains("no such folder") || text.lowercased().contains("folder missing"):
            self = .noSuchFolder(client.address)
        default:
            let line = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
            self = .refused(client.address, status: status, answer: line)
        }
    }

    package var exitStatus: ExitStatus {
        switch self {
        case .badKeyFile, .wantsTLS: .badConfiguration
        case .unreachable, .silent, .noSyncthing: .unavailable
        case .wrongKey: .notPermitted
        case .noSuchFolder: .noSuchThing
        case .refused: .tryAgain
        }
    }

    /// USER stands for the user who runs Syncthing.
    package static func commandToSetKey(in keyFile: String) -> String {
        "sudo -H -u USER syncthing cli config gui apikey get | sudo tee \(keyFile.shellWord) >/dev/null"
    }

    package var hint: String {
        switch self {
        case .badKeyFile(let path, _):
            "Put the key from Syncthing's settings (Actions, Settings, General, API key) into \(path), readable for "
                + "this program's user alone: chmod 600 \(path.shellWord)"
        case .unreachable, .noSyncthing:
            "See whether Syncthing runs, and whether it listens at this address (Actions, Settings, GUI); the "
                + "configuration names it in replicator.syncthing.url"
        case .silent: "Check Syncthing and its disk; Syncthing may be reading a large folder"
        case .wantsTLS: "Switch 'Use HTTPS for GUI' off in Syncthing's settings: the address is of this machine alone"
        case .wrongKey(_, let keyFile):
            "Put the key from Syncthing's settings into \(keyFile); with USER for the user of Syncthing: "
                + SyncthingError.commandToSetKey(in: keyFile)
        case .noSuchFolder:
            "Take the folder's ID from its settings in Syncthing, and name it in replicator.syncthing.folder"
        case .refused: "Read what Syncthing reports about the folder"
        }
    }
}

extension SyncthingError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .badKeyFile(let path, let reason): "The key of Syncthing cannot be taken from \(path): \(reason)."
        case .unreachable(let address, let reason): "Syncthing does not answer at \(address.url): \(reason)."
        case .silent(let address, let duration):
            "Syncthing at \(address.url) has not answered for \(duration.components.seconds) s."
        case .noSyncthing(let address, let reason):
            "The program that answers at \(address.url) is not Syncthing: \(reason)."
        case .wantsTLS(let address): "Syncthing at \(address.url) accepts HTTPS only."
        case .wrongKey(let address, let keyFile): "Syncthing at \(address.url) does not accept the key in \(keyFile)."
        case .noSuchFolder(let address): "Syncthing at \(address.url) has no folder with this ID."
        case .refused(let address, let status, let answer):
            "Syncthing at \(address.url) answered \(status): \(answer)"
        }
    }
}
