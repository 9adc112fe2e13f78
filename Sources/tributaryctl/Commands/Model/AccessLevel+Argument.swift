import ArgumentParser
import TributaryGeneration

extension AccessLevel: ExpressibleByArgument {}
