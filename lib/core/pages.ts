import type { Place } from './cursor.ts'

/**
 * Reads the rows of all pages. It reads a page only when the caller has taken all rows of the page before; a caller that
 * leaves the loop stops the reading. `read` gets the start of the page, as part of a query.
 */
export async function* rowPages<R>(
  read: (from: { after?: Place }) => Promise<{ rows: readonly R[]; next: Place | undefined }>,
): AsyncGenerator<readonly R[]> {
  let after: Place | undefined
  do {
    const { rows, next } = await read(after === undefined ? {} : { after })
    yield rows
    after = next
  } while (after !== undefined)
}
