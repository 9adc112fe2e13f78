import Synchronization
import TributaryChanges
import TributaryModel

/// Finds the member of a composite to which a key path of its Swift type leads.
final class CompositeProbe: Sendable {
    private let members = Mutex<[Member]>([])

    struct Member: Sendable, Hashable {
        var name: String
        var type: AttributeType
    }

    func addMember(_ name: String, _ type: AttributeType) {
        members.withLock { members in
            let member = Member(name: name, type: type)
            if !members.contains(member) { members.append(member) }
        }
    }

    static func members<Composite: CompositeValue>(of type: Composite.Type) -> [Member] {
        let probe = CompositeProbe()
        _ = Composite(CompositeFields(telling: probe))
        return probe.members.withLock { $0 }
    }

    /// Returns the name of the member at the key path; nil when the key path is computed in another way.
    static func name<Composite: CompositeValue, Output>(of path: KeyPath<Composite, Output>) -> String? {
        let samples = ProbeSample.samples(of: Output.self)
        guard !samples.isEmpty else { return nil }
        return members(of: Composite.self).first { member in
            samples.allSatisfy { sample in
                var fields = CompositeFields()
                fields.set(member.name, to: sample)
                return (Composite(fields)[keyPath: path] as? any FieldValue)?.fieldValue == sample
            }
        }?.name
    }

    /// Returns two values of the type in which each of its plain members is set.
    static func samples<Composite: CompositeValue>(of type: Composite.Type) -> [PropertyValue] {
        let plain = members(of: type)
        return [0, 1].map { place in
            var fields = CompositeFields()
            for member in plain {
                let sample: PropertyValue? =
                    switch member.type {
                    case .string: .string("s\(place)")
                    case .integer16, .integer32, .integer64: .integer(Int64(place + 3))
                    case .boolean: .boolean(place == 0)
                    case .double, .float: .double(Double(place) + 0.5)
                    case .date: .date(DateValue(unixSeconds: Double(place) + 9))
                    case .decimal: .decimal("\(place + 2).5")
                    default: nil
                    }
                if let sample { fields.set(member.name, to: sample) }
            }
            // A round trip through the type gives the value the type's own form.
            return Composite(fields).fieldValue
        }
    }
}
