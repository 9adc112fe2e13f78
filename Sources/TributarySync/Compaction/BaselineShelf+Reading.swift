import TransactionLog
import TributaryChanges

extension BaselineShelf {
    /// Whether the files with these names are the ones that were read; a look at each file.
    func isCurrent(_ files: BaselineFiles, in logs: LogFolder) -> Bool {
        let paths = files.baselines.map(\.path) + files.comparisons.map(\.path)
        return files.baselines.count == baselines.count + refused.count && files.comparisons.count == comparisons.count
            && paths.allSatisfy { path in mark(path).map { $0 == FileFacts(path, in: logs)?.mark } ?? false }
    }

    /// The shelf with these files; only those are read that have changed, and of baselines the first and last lines.
    ///
    /// A comparison that cannot be read counts for nothing, and is read again.
    func reading(
        _ files: BaselineFiles,
        in logs: LogFolder,
        _ control: ImportControl? = nil,
        wall: WallTime = .epoch
    ) -> BaselineShelf {
        var found: [BaselineName: KnownBaseline] = [:]
        var refused: [BaselineName: Refusal] = [:]
        var marks: [String: FileAttributes] = [:]
        for name in files.baselines {
            let former = mark(name.path)
            if let former, former == FileFacts(name.path, in: logs)?.mark {
                marks[name.path] = former
                found[name] = baselines[name]
                refused[name] = self.refused[name]
                continue
            }
            do throws(SegmentError) {
                let file = try logs.open(fileName: name.fileName, writer: name.writer)
                let mark = try FileAttributes(of: file)
                marks[name.path] = mark
                let known = KnownBaseline(name: name, try BaselineShelf.outline(file, control))
                guard known.vector[name.writer] == name.sequence else {
                    let reason = "its name is not the last transaction of its writer in it"
                    throw SegmentError(.rejected, file: file.file, reason: reason)
                }
                found[name] = known
            } catch {
                if error.kind == .missing { continue }
                refused[name] = BaselineShelf.refusal(error, former: self.refused[name], wall: wall)
                if !error.isOfContent { marks[name.path] = nil }
            }
        }
        var compared: [BaselineComparison.Name: BaselineComparison] = [:]
        for name in files.comparisons {
            guard let mark = FileFacts(name.path, in: logs)?.mark else { continue }
            let known = self.mark(name.path) == mark ? comparisons[name] : nil
            compared[name] = known ?? (try? BaselineComparison.read(name, in: logs))
            if compared[name] != nil { marks[name.path] = mark }
        }
        return replacing(found, refused: refused, compared, marks: marks)
    }

    /// The shelf after a baseline was read as a whole: it counts no more unless its bytes have the hash in its end line.
    ///
    /// - Throws: ``SegmentError`` when it cannot be read now.
    func proving(_ baseline: KnownBaseline, in logs: LogFolder, wall: WallTime) throws(SegmentError) -> BaselineShelf {
        do throws(SegmentError) {
            _ = try BaselineShelf.demandWhole(baseline, in: logs)
            return self
        } catch {
            guard error.isOfContent || error.kind == .changed else { throw error }
            return refusing(baseline.name, BaselineShelf.refusal(error, former: nil, wall: wall))
        }
    }

    /// Reads a baseline as a whole.
    ///
    /// - Throws: ``SegmentError`` when it is not the known one, or its bytes do not have the hash in its end line.
    @discardableResult
    static func demandWhole(_ baseline: KnownBaseline, in logs: LogFolder) throws(SegmentError) -> VerifiedBaseline {
        let file = try logs.open(fileName: baseline.name.fileName, writer: baseline.name.writer)
        let whole = try VerifiedBaseline.verify(file)
        guard whole.end.sha256 == baseline.sha256, whole.header.modelHash == baseline.modelHash,
            VersionVector(whole.writers) == baseline.vector
        else {
            throw SegmentError(.changed, file: file.file, reason: "the baseline was replaced by another one")
        }
        return whole
    }

    /// The shelf with the own files that are in the log folder now, published since its last scan or removed.
    func withOwn(_ own: UniqueID, in logs: LogFolder, wall: WallTime) throws(SegmentError) -> BaselineShelf {
        var files = BaselineFiles(
            baselines: (Array(baselines.keys) + Array(refused.keys)).filter { $0.writer != own },
            comparisons: comparisons.keys.filter { $0.writer != own }
        )
        for name in try logs.fileNames(of: own) { files.add(name, of: own) }
        return reading(files, in: logs, wall: wall)
    }

    private static func outline(
        _ file: OpenFile,
        _ control: ImportControl?
    ) throws(SegmentError) -> BaselineOutline {
        guard let control else { return try BaselineOutline.read(file) }
        return try BaselineOutline.read(MeteredBytes(file, control))
    }

    static func refusal(_ error: SegmentError, former: Refusal?, wall: WallTime) -> Refusal {
        let position = error.line.map { "line \($0): " } ?? ""
        let isIncomplete = error.kind == .incomplete || error.kind == .changed
        let since = former?.isIncomplete == isIncomplete ? former?.since ?? wall : wall
        return Refusal(reason: position + error.reason, isIncomplete: isIncomplete, since: since)
    }
}

extension BaselineFiles {
    /// Adds a file in a writer's folder, if it is one of a baseline.
    mutating func add(_ name: String, of writer: UniqueID) {
        switch SegmentFileKind.classify(name, writer: writer) {
        case .baseline(let sequence): baselines.append(BaselineName(writer: writer, sequence: sequence))
        case .comparison(let baseline): comparisons.append(BaselineComparison.Name(writer: writer, of: baseline))
        case .segment, .conflictCopy, .misnamed, .ignored: break
        }
    }
}
