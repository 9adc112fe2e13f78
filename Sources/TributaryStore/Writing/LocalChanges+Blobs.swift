import TributaryChanges
import TributaryModel

extension LocalChanges {
    /// Returns the changes with the bytes of values beside this store, whose file names mean nothing in a log.
    ///
    /// Such names come from rows whose values are written again: by undo, copies and derived attributes, and by saves
    /// that overwrite whole objects.
    ///
    /// - Throws: ``StoreError`` `blob`, with the object and the property, when the bytes cannot be read: other writers
    ///   would wait for them without end.
    func whole(_ changes: [Change]) throws -> [Change] {
        guard changes.contains(where: { $0.operation.writes.contains { $0.value.isObject } }) else { return changes }
        return try changes.map { change in
            guard change.operation.writes.contains(where: { $0.value.isObject }) else { return change }
            let writes = try change.operation.writes.map { try whole($0, of: change) }
            var result = change
            if case .insert = change.operation {
                result.operation = .insert(writes)
            } else {
                result.operation = .update(writes)
            }
            return result
        }
    }

    /// Returns derived changes with the bytes of values beside this store, after checking their lines.
    func derived(_ changes: [Change]) throws -> [Change] {
        let result = try whole(changes)
        try checkLines(result)
        return result
    }

    private func whole(_ write: PropertyWrite, of change: Change) throws -> PropertyWrite {
        guard write.value.isObject,
            let type = reader.context.layout.entity(named: change.entity)?.entity.property(named: write.name)?
                .attribute?
                .type,
            type == .binary || type == .transformable, let reference = type.scalarValue(from: write.value)
        else { return write }
        do {
            return PropertyWrite(name: write.name, value: try reader.context.whole(reference).json)
        } catch {
            throw error.naming("'\(write.name)' of \(change.entity) \(change.id)")
        }
    }
}

extension StoreError {
    fileprivate func naming(_ property: String) -> StoreError {
        guard case .blob(let path, let reason) = self else { return self }
        return .blob(path: path, reason: "\(reason); it has \(property)")
    }
}

extension Change.Operation {
    fileprivate var writes: [PropertyWrite] {
        switch self {
        case .insert(let writes), .update(let writes): writes
        case .delete, .link, .unlink: []
        }
    }
}

extension JSONValue {
    fileprivate var isObject: Bool {
        if case .object = self { true } else { false }
    }
}
