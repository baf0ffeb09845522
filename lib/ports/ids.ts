/**
 * The only source of identifiers. An id is `<kind>_` and 26 characters of Crockford base32 (ULID). Ids of one process
 * sort in the order of their creation, also within one millisecond, and no id is the direct successor of another.
 */
export interface Ids {
  next(kind: string): string
}
