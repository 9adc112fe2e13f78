import TransactionLog
import TributaryChanges

/// A command that the hint of a problem names.
enum Remedy: Hashable {
    case accept(SegmentName)
    case acceptBaseline(BaselineName)
    case trust(UniqueID, PublicKey?)
    case abandon(UniqueID)
    case restamp
    case compact
    case repair
    case remove(SegmentName)
    /// Keys that the file of keys lacks.
    case addKeys
    /// A greater limit of the log folder.
    case raiseLimit
    /// Clocks that are ahead by so many seconds are to be taken once.
    case raiseAhead(Int)

    /// The commands of a hint, in their order.
    static func all(in hint: String) -> [Remedy] {
        var found: [Remedy] = []
        let words = hint.split(separator: " ").map { $0.trimmingPunctuation }
        for place in words.indices {
            func word(_ offset: Int) -> String { place + offset < words.count ? words[place + offset] : "" }
            switch (word(0), word(1), word(2)) {
            case ("tributaryctl", "segment", "accept"): found += SegmentName(path: word(3)).map { [.accept($0)] } ?? []
            case ("tributaryctl", "baseline", "accept"):
                found += BaselineName(path: word(3)).map { [.acceptBaseline($0)] } ?? []
            case ("tributaryctl", "writer", "trust"):
                let key = word(4) == "--key" ? PublicKey(word(5)) : nil
                found += UniqueID(word(3)).map { [.trust($0, key)] } ?? []
            case ("tributaryctl", "writer", "abandon"): found += UniqueID(word(3)).map { [.abandon($0)] } ?? []
            case ("tributaryctl", "writer", "restamp"): found.append(.restamp)
            case ("tributaryctl", "compact", _): found.append(.compact)
            case ("tributaryctl", "check", "--repair"): found.append(.repair)
            case ("rm", "-r", let path):
                let below = path.split(separator: "/").suffix(2).joined(separator: "/")
                found += SegmentName(path: below).map { [.remove($0)] } ?? []
            case ("encryption.key_file", _, _): found.append(.addKeys)
            case ("clock.max_ahead", "above", let time):
                found += Int(time.prefix { $0.isNumber }).map { [.raiseAhead($0)] } ?? []
            case ("logs.max_bytes", _, _): found.append(.raiseLimit)
            default: continue
            }
        }
        return found
    }
}

extension BaselineName {
    fileprivate init?(path: String) {
        let parts = path.split(separator: "/")
        guard parts.count == 2, let writer = UniqueID(String(parts[0])),
            case .baseline(let sequence) = SegmentFileKind.classify(String(parts[1]), writer: writer)
        else { return nil }
        self.init(writer: writer, sequence: sequence)
    }
}

extension Substring {
    fileprivate var trimmingPunctuation: String {
        var rest = self
        while let last = rest.last, ".,;:)'".contains(last) { rest.removeLast() }
        while let first = rest.first, "('".contains(first) { rest.removeFirst() }
        return String(rest)
    }
}
