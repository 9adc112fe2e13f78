import Hummingbird
import Logging
import NIOCore

/// What Hummingbird's router hands to a route: the connection besides its own things.
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
