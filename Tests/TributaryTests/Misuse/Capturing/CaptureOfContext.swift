import Tributary

func later(_ background: BackgroundContext) async {
    await background.perform { context in
        let hasChanges = context.hasChanges
        #if MISUSE
            Task.detached { print(context.hasChanges) }  // error:
        #endif
        Task.detached { print(hasChanges) }
    }
}
