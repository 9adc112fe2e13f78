import TransactionLog
import TributaryChanges

extension BaselineShelf {
    /// Whether the files with these names are the ones that were read; a look at each file.
    func isCurrent(_ names: [BaselineName], in logs: LogFolder) -> Bool {
        names.count == baselines.count + refused.count
            && names.allSatisfy { name in mark(name).map { $0 == FileFacts(name.path, in: logs)?.mark } ?? false }
    }

    /// The shelf with these baselines; only the first and last lines of files that have changed are read.
    ///
    /// A file that an earlier start has read as a whole counts as whole.
    func reading(
        _ names: [BaselineName],
        in logs: LogFolder,
        _ control: ImportControl? = nil,
        wall: WallTime = .epoch
    ) -> BaselineShelf {
        var found: [BaselineName: KnownBaseline] = [:]
        var refused: [BaselineName: Refusal] = [:]
        var marks: [BaselineName: FileAttributes] = [:]
        for name in names {
            let former = mark(name)
            if let former, former == FileFacts(name.path, in: logs)?.mark {
                marks[name] = former
                found[name] = baselines[name]
                refused[name] = self.refused[name]
                continue
            }
            do throws(SegmentError) {
                let file = try logs.open(fileName: name.fileName, writer: name.writer)
                let mark = try FileAttributes(of: file)
                marks[name] = mark
                var known = KnownBaseline(name: name, try BaselineShelf.outline(file, control))
                guard known.vector[name.writer] == name.sequence else {
                    let reason = "its name is not the last transaction of its writer in it"
                    throw SegmentError(.rejected, file: file.file, reason: reason)
                }
                known.isWhole = proofs[name]?.isValid(for: mark, sha256: known.sha256) ?? false
                found[name] = known
            } catch {
                if error.kind == .missing { continue }
                refused[name] = BaselineShelf.refusal(error, former: self.refused[name], wall: wall)
                if !error.isOfContent { marks[name] = nil }
            }
        }
        return replacing(found, refused: refused, marks: marks)
    }

    /// The shelf after a baseline was read as a whole: its bytes must have the hash in its end line.
    func proving(
        _ baseline: KnownBaseline,
        in logs: LogFolder,
        _ control: ImportControl? = nil,
        wall: WallTime = .epoch
    ) -> BaselineShelf {
        let name = baseline.name
        do throws(SegmentError) {
            try BaselineShelf.demandWhole(baseline, in: logs, control, mark: mark(name))
            return examined(name, refusal: nil)
        } catch {
            let refusal = BaselineShelf.refusal(error, former: nil, wall: wall)
            return examined(name, refusal: refusal, remembers: error.isOfContent && error.kind != .changed)
        }
    }

    /// The shelf after all baselines were read that may be verified or disputed.
    ///
    /// - Throws: What `step` throws.
    func provingAll(
        in logs: LogFolder,
        wall: WallTime = .epoch,
        step: () throws -> Void = {}
    ) throws -> BaselineShelf {
        var shelf = self
        while let next = shelf.unread {
            try step()
            shelf = shelf.proving(next, in: logs, wall: wall)
        }
        return shelf
    }

    /// Reads a baseline as a whole.
    ///
    /// - Throws: ``SegmentError`` when it is not the known one, or its bytes do not have the hash in its end line.
    static func demandWhole(
        _ baseline: KnownBaseline,
        in logs: LogFolder,
        _ control: ImportControl? = nil,
        mark: FileAttributes? = nil
    ) throws(SegmentError) {
        let file = try logs.open(fileName: baseline.name.fileName, writer: baseline.name.writer)
        let whole: VerifiedBaseline
        if let control {
            whole = try VerifiedBaseline.verify(MeteredBytes(file, control))
        } else {
            whole = try VerifiedBaseline.verify(file)
        }
        let now = try FileAttributes(of: file)
        guard whole.end.sha256 == baseline.sha256, whole.header.modelHash == baseline.modelHash,
            VersionVector(whole.writers) == baseline.vector, mark.map({ $0 == now }) ?? true
        else {
            throw SegmentError(.changed, file: file.file, reason: "the baseline was replaced by another one")
        }
    }

    /// The shelf with the own baselines that are in the log folder now, published since its last scan or removed.
    func withOwn(_ own: UniqueID, in logs: LogFolder, wall: WallTime) throws(SegmentError) -> BaselineShelf {
        let others = (Array(baselines.keys) + Array(refused.keys)).filter { $0.writer != own }
        let names = try logs.fileNames(of: own).compactMap { name -> BaselineName? in
            guard case .baseline(let sequence) = SegmentFileKind.classify(name, writer: own) else { return nil }
            return BaselineName(writer: own, sequence: sequence)
        }
        return reading(others + names, in: logs, wall: wall)
    }

    private static func outline(
        _ file: OpenFile,
        _ control: ImportControl?
    ) throws(SegmentError) -> BaselineOutline {
        guard let control else { return try BaselineOutline.read(file) }
        return try BaselineOutline.read(MeteredBytes(file, control))
    }

    private static func refusal(_ error: SegmentError, former: Refusal?, wall: WallTime) -> Refusal {
        let position = error.line.map { "line \($0): " } ?? ""
        let isIncomplete = error.kind == .incomplete || error.kind == .changed
        let since = former?.isIncomplete == isIncomplete ? former?.since ?? wall : wall
        return Refusal(reason: position + error.reason, isIncomplete: isIncomplete, since: since)
    }
}
