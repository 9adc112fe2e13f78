import Tributary

extension ManagedObjectContext: @unchecked @retroactive Sendable {}  // warning:

func leak(_ background: BackgroundContext) async {
    let context = await background.perform { $0 }
    print(context.hasChanges)
}
