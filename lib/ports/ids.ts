/**
 * The only source of identifiers. An id is `<kind>_` and 26 characters of Crockford base32 (ULID); ids made by one
 * process sort in the order they were made, also within one millisecond, and none is the successor of another.
 */
export interface Ids {
  next(kind: string): string
}
