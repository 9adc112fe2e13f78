package import TributaryChanges
package import TributaryModel

extension DictionaryPlan {
    /// Computes the results of ``Reader/values(_:)`` from objects in memory.
    ///
    /// - Parameter subjects: the objects that fulfil the query's predicate, in the order of their IDs.
    /// - Returns: The values of each result, in the order of the columns.
    package func values<Subject: PredicateSubject>(of subjects: [Subject]) -> [[PropertyValue]]
    where Subject.Related == Subject {
        var results = isGrouped ? grouped(subjects) : subjects.map { result([$0]) }
        results.sort { left, right in
            for (index, term) in order.enumerated() {
                let order = left.keys[index].sortOrder(to: right.keys[index])
                if order != 0 { return term.isAscending ? order < 0 : order > 0 }
            }
            return left.id < right.id
        }
        var values = results.map(\.values)
        if query.isDistinct {
            var seen: Set<ValueIdentity> = []
            values = values.filter { seen.insert(ValueIdentity($0)).inserted }
        }
        return sliced(values)
    }

    /// Applies the condition on the results, then the offset and the limit.
    func sliced(_ results: [[PropertyValue]]) -> [[PropertyValue]] {
        let kept = having.map { having in results.filter { having.holds(for: $0) } } ?? results
        let rest = kept.dropFirst(max(query.objects.offset, 0))
        return Array(query.objects.limit.map { rest.prefix(max($0, 0)) } ?? rest)
    }

    private struct Result {
        let values: [PropertyValue]
        let keys: [PropertyValue]
        let id: UniqueID
    }

    private func grouped<Subject: PredicateSubject>(_ subjects: [Subject]) -> [Result]
    where Subject.Related == Subject {
        guard !groups.isEmpty else { return [result(subjects)] }
        var groupIndexes: [ValueIdentity: Int] = [:]
        var members: [[Subject]] = []
        for subject in subjects {
            let key = ValueIdentity(groups.map { $0.value(of: subject) })
            if let index = groupIndexes[key] {
                members[index].append(subject)
            } else {
                groupIndexes[key] = members.count
                members.append([subject])
            }
        }
        return members.map { result($0) }
    }

    private func result<Subject: PredicateSubject>(_ members: [Subject]) -> Result where Subject.Related == Subject {
        let values = columns.map { column in
            guard let function = column.function else {
                return members.first.map { column.path.value(of: $0) } ?? .null
            }
            // An aggregate of a group ignores missing values.
            let values = members.map { column.path.value(of: $0) }.filter { !$0.isNull }
            return column.typed(AggregateEvaluator.value(function, values, kind: column.path.kind))
        }
        let keys = order.map { term in
            switch term {
            case .column(let index, _): values[index]
            case .path(let path, _): members.first.map { path.value(of: $0) } ?? .null
            }
        }
        return Result(values: values, keys: keys, id: members.first?.predicateID ?? UniqueID(high: 0, low: 0))
    }
}
