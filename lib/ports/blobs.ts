/** Keys in code-unit order. `next` is the last of them; it is set when more keys follow. */
export type BlobPage = { keys: string[]; next?: string }

/**
 * Texts under keys, for values that are too large for a row.
 *
 * A key is segments of `A-Z a-z 0-9 . _ -` with `/` between them: none empty, `.` or `..`, each at most 200 characters,
 * all together at most 512. A key may be the beginning of another (`a` and `a/b`); keys that differ only in case are two.
 * A text is well-formed Unicode of at most 16 MB (2^24 bytes of UTF-8), and is read back code unit by code unit. A call
 * that breaks these rules rejects with TypeError and changes nothing; a text that is too large rejects with Problem
 * `too_large` `file_too_large`.
 *
 * Every verb sees each write whose promise has resolved. Of concurrent writes of one key one wins; no reader ever sees a
 * part. A medium that fails rejects with Problem `unavailable` `files_unavailable`; it is then unknown whether the write
 * took place, and the caller may repeat it.
 */
export interface Blobs {
  /** Stores the text under the key and replaces an earlier one. A stored text survives the process. */
  put(key: string, text: string): Promise<void>
  get(key: string): Promise<string | undefined>
  /** Removes the key. A missing key is no error. */
  remove(key: string): Promise<void>
  /**
   * The first `limit` (1 to 1000) keys that start with `prefix` and sort after `after`. `prefix` need not end with a
   * segment, and `after` need not exist. A page with fewer keys than `limit` is the last.
   */
  list(prefix: string, page: { limit: number; after?: string }): Promise<BlobPage>
}
