/// Something that is above the limit of a ``ShapeRule``, with its count and the reason why it may be.
struct ShapeException: Sendable {
    var subject: String
    var count: Int
    /// The reason why the subject may stay large, or the change that will make it smaller.
    var reason: String

    init(_ subject: String, _ count: Int, _ reason: String) {
        self.subject = subject
        self.count = count
        self.reason = reason
    }

    private static let message = "the fields of a message: a plain value without behaviour"
    private static let description = "the description of a part of the model: a plain value"

    static let storedProperties = [
        ShapeException("TributaryAdmin.StatusMessage", 22, message),
        ShapeException("TributaryAdmin.SegmentsMessage.Segment", 18, message),
        ShapeException("TributaryModel.Attribute", 19, description),
        ShapeException("TributaryModel.Entity", 18, description),
        ShapeException("Tributary.FetchRequest", 15, "what a program asks for: a plain value, named as in Core Data"),
    ]

    static let typeSpread: [ShapeException] = []
}
