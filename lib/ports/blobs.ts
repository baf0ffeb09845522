/** Some keys in code-unit order; `next`, the last of them, is there when more follow. */
export type BlobPage = { keys: string[]; next?: string }

/**
 * Texts under keys, for what is too large for a row.
 *
 * A key is segments of `A-Z a-z 0-9 . _ -` with `/` between them: none empty, `.` or `..`, each at most 200 characters,
 * all together at most 512. A key may be the beginning of another (`a` and `a/b`); keys that differ in case only are
 * two. A text is well-formed Unicode of at most 16 MB (2^24 bytes of UTF-8) and comes back as it was, code unit by code
 * unit. A call that breaks these rules rejects with TypeError and changes nothing, but for a text that is too large:
 * Problem `too_large` `file_too_large`.
 *
 * Every verb sees each write whose promise has resolved. Of writes of one key at a time one wins, whole; no reader
 * ever sees a part. A medium that fails rejects with Problem `unavailable` `files_unavailable`; whether a write that
 * was rejected so took place is unknown, and it may be repeated.
 */
export interface Blobs {
  /** Keeps the text under the key, in place of what was there. A text that was kept survives the process. */
  put(key: string, text: string): Promise<void>
  get(key: string): Promise<string | undefined>
  /** Removes the key; one that is not there is fine. */
  remove(key: string): Promise<void>
  /**
   * The first `limit` (1 to 1000) keys that start with `prefix`, which need not end with a segment, and that come
   * after `after`, a key that need not exist. A page with fewer keys than `limit` is the last.
   */
  list(prefix: string, page: { limit: number; after?: string }): Promise<BlobPage>
}
