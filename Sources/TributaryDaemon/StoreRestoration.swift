import Foundation
import Glibc
import Logging
import TributaryAdmin
import TributaryChanges
import TributaryModel
import TributaryStore

struct StoreRestoration {
    let store: String
    let logger: Logger

    /// Does nothing without a marker; otherwise checks the restored store, and writes its large values next to it.
    func complete() throws(StartFailure) {
        let path = RestoreMarker.path(besideStore: store)
        do {
            guard let marker = try readMarker(path), marker.former == nil else { return }
            guard FileManager.default.fileExists(atPath: store) else {
                throw refused("'\(path)' exists without a store: tributaryctl restore was interrupted; run it again")
            }
            logger.notice("Checking the restored store", metadata: ["store": "\(store)"])
            try RestoredStore(path: store).adopt(restoredAt: marker.restored, sha256: marker.sha256)
            guard unlink(path) == 0 else { throw StartFailure("'\(path)' cannot be removed", code: errno) }
            logger.notice("The store was restored from a backup", metadata: ["sha256": "\(marker.sha256)"])
        } catch let failure as StartFailure {
            throw failure
        } catch let error as StoreError where error.mayPass {
            throw StartFailure(error, store: store)
        } catch {
            throw refused("the restored store cannot be used: \(error)")
        }
    }

    /// A store that is rebuilt from the log folder needs them, to know values under the names of former versions.
    func formerVersions(except model: Model) -> ModelVersions {
        guard let former = try? RestoreMarker.read(besideStore: store)?.former else { return .none }
        let path = (store.folder as NSString).appendingPathComponent(former)
        do {
            let versions = try RecordedModels.versions(ofStore: path, except: model)
            logger.notice("The store is rebuilt from the log folder", metadata: ["former": "\(path)"])
            return versions
        } catch {
            logger.warning(
                "The model versions of the former store cannot be read; writes under names of theirs may be deferred",
                metadata: ["former": "\(path)", "reason": "\(error)"]
            )
            return .none
        }
    }

    func end() {
        guard (try? RestoreMarker.read(besideStore: store))?.former != nil else { return }
        unlink(RestoreMarker.path(besideStore: store))
    }

    private func readMarker(_ path: String) throws(StartFailure) -> RestoreMarker? {
        do {
            return try RestoreMarker.read(besideStore: store)
        } catch let failure as FileFailure where ExitStatus(passing: failure.code) != nil {
            throw StartFailure("the marker of a restoration '\(path)' cannot be read", code: failure.code)
        } catch {
            throw refused("'\(path)' cannot be read as the marker of a restoration: restore the backup again")
        }
    }

    private func refused(_ reason: String) -> StartFailure { StartFailure(reason, status: .badConfiguration) }
}

extension StoreError {
    fileprivate var mayPass: Bool {
        switch self {
        case .database(let code, _): [5, 6, 8, 10, 13, 14].contains(code & 0xFF)
        case .blob, .scratch: true
        default: false
        }
    }
}
