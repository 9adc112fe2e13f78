package struct ServerSentEvent: Hashable, Sendable {
    package var event: String
    package var data: String
    package var id: String?

    package init(event: String, data: String, id: String? = nil) {
        self.event = event
        self.data = data
        self.id = id
    }
}
