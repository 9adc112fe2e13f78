import Tributary

func count(_ background: BackgroundContext) async throws -> Int {
    #if MISUSE
        return background.performAndWait { $0.insertedObjects.count }  // error:
    #else
        return await background.perform { $0.insertedObjects.count }
    #endif
}

func waiting(_ background: BackgroundContext) -> Int {
    background.performAndWait { $0.insertedObjects.count }
}
