import TributaryModel

/// A term with the conditions under which it holds; the cases of one expression are disjoint and complete.
struct PredicateCase {
    var guards: [ObjectPredicate] = []
    var term: PredicateTerm
}
