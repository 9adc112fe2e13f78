import Tributary

func all(_ background: BackgroundContext) async -> Int {
    #if MISUSE
        let all = await background.perform { Set($0.registeredObjects) }  // error:
    #else
        let all = await background.perform { Set($0.registeredObjects.map(\.objectID)) }
    #endif
    return all.count
}
