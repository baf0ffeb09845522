/**
 * A document that is being written. Its verbs are called one at a time, none after `close` or `abort`, and only `abort`
 * after one that rejected. Each rejects with Problem `unavailable` `archive_unavailable` when the medium fails. After a
 * rejected `close` it is unknown whether the document exists; if it does, it is complete.
 */
export type Draft = {
  /** Adds well-formed text of any length, stored as UTF-8. Resolves when the archive takes more text. */
  write(text: string): Promise<void>
  /** Resolves when the complete document is stored and survives the process. */
  close(): Promise<void>
  /** Discards the document. Stored parts have no key and are removed within days. */
  abort(): Promise<void>
}

/**
 * JSON documents that are too large for memory, written once from beginning to end. People read them by key; the service
 * does not. A document may be removed some days later.
 */
export interface Archive {
  /**
   * Begins a document under a new key (the port `Blobs` defines keys; TypeError for an invalid one). The document exists
   * when it is complete, not before, and nothing is reserved before the first write.
   */
  begin(key: string): Draft
}
