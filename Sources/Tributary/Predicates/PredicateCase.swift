import TributaryModel

/// A term that holds under conditions; the cases of one expression exclude each other and leave nothing out.
struct PredicateCase {
    var guards: [ObjectPredicate] = []
    var term: PredicateTerm
}
