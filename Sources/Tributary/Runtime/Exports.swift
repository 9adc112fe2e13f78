// IDs, values and models are part of this library's own signatures: who imports it gets them along.
@_exported public import TributaryChanges
@_exported public import TributaryModel
