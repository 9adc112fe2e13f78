/// Counts the steps that a structure takes, so that tests and benchmarks need no clock to see how its cost grows.
final class StepCounter {
    var count = 0
}
