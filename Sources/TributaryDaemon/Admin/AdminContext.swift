import Hummingbird
import Logging
import NIOCore

/// The context that Hummingbird's router passes to a route, which includes the connection.
struct AdminContext: RequestContext {
    struct Source: RequestContextSource {
        let logger: Logger
        let channel: any Channel
    }

    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: Source) {
        coreContext = .init(source: source)
        channel = source.channel
    }
}
