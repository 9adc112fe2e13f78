import TributaryStore

extension MergePipeline {
    /// Waits for pending blocks, merges a last time, and closes the store.
    package func close() async throws {
        await pending.waitForNone()
        stopWatchingRemote()
        stop()
        let merged = await result { try await finalMerge() }
        await finish()
        try store.close()
        try merged.get()
    }

    private func result(_ block: () async throws -> Void) async -> Result<Void, any Error> {
        do {
            return .success(try await block())
        } catch {
            return .failure(error)
        }
    }

    @MainActor
    private func finish() {
        updates.finish()
        failures.finish()
        activities.finish()
        main.context?.context.close()
    }
}
