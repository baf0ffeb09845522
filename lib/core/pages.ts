import type { Place } from './cursor.ts'

/**
 * The rows of all pages, page after page: each is read from where the one before ended, and not before that was taken.
 * `read` gets where to go on, as part of a query; a caller that has seen enough leaves the loop.
 */
export async function* pagesOf<R>(
  read: (from: { after?: Place }) => Promise<{ rows: readonly R[]; next: Place | undefined }>,
): AsyncGenerator<readonly R[]> {
  let after: Place | undefined
  do {
    const { rows, next } = await read(after === undefined ? {} : { after })
    yield rows
    after = next
  } while (after !== undefined)
}
