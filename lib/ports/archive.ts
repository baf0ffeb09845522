/**
 * A document on its way into the archive. Its verbs are called one at a time, none after `close` or `abort`, and none
 * but `abort` after one that rejected. Each rejects with Problem `unavailable` `archive_unavailable` when the medium
 * fails; of a `close` that rejected it is unknown whether the document is there, and if it is, it is whole.
 */
export type Draft = {
  /** Adds well-formed text of any length, to be kept as UTF-8. Resolves when more may come. */
  write(text: string): Promise<void>
  /** Resolves when the document is kept, whole, and survives the process. */
  close(): Promise<void>
  /** Gives the document up. What was kept of it already is under no key and goes by itself within days. */
  abort(): Promise<void>
}

/**
 * JSON documents too large to hold, written once from beginning to end. People read them, by their key; the service
 * does not, and a document may be removed when it is some days old.
 */
export interface Archive {
  /**
   * A document under a key that no other ever had (see `Blobs` for what is a key; TypeError for what is none). It is
   * there when it is whole, not before, and nothing is reserved until something is written.
   */
  begin(key: string): Draft
}
