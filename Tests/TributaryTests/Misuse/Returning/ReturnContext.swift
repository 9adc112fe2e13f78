import Tributary

func keep(_ background: BackgroundContext) async {
    #if MISUSE
        let context = await background.perform { $0 }  // error:
        print(context.hasChanges)
    #else
        print(await background.perform { $0.hasChanges })
    #endif
}
