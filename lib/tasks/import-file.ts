import { isUtf8 } from 'node:buffer'
import type * as z from 'zod'
import { type FieldIssue, invalid } from '../core/errors.ts'
import { issueText } from '../core/issue-text.ts'
import { notJson, readJson } from '../core/json.ts'
import { type CutList, createListCutter } from '../core/json-list.ts'
import { ImportBody, MOST_IMPORTED } from './queries.ts'

/** As much as a create may have; as much as well as all that a file says beside its tasks. */
const ITEM_LIMIT = 1_048_576
/** What is worked on before others get their turn. */
const AT_ONCE = { items: 200, bytes: 262_144 }

/**
 * The tasks of a file that comes in pieces, each as its bytes. It is read to its end, and is an export as far as it says so
 * around its tasks. Throws Problem `too_large` `too_many_items` for more than 100,000 of them, and `invalid`.
 */
export const listIn = async (pieces: AsyncIterable<Buffer>): Promise<CutList> => {
  const cutter = createListCutter('tasks', { mostItems: MOST_IMPORTED, mostBytesAround: ITEM_LIMIT })
  for await (const piece of pieces) cutter.push(piece)
  const cut = cutter.end()
  const text = textOf(cut.around)
  const { success, data, error } = ImportBody.safeParse(text.trim() === '' ? {} : readJson(text), {
    error: issueText,
  })
  if (!success) throw invalid(issuesOf(error))
  // Only a name that is written with escapes keeps its list from being cut.
  if (data.tasks.length > 0) throw invalid([{ path: 'tasks', message: 'must be written without escapes' }])
  return cut
}

/** What one of them says. Throws Problem `invalid` and `too_large`, by the same rules as for a body. */
export const itemIn = (bytes: Buffer): unknown => {
  if (bytes.length > ITEM_LIMIT) throw invalid([{ path: '', message: `is larger than ${ITEM_LIMIT} bytes` }])
  return readJson(textOf(bytes))
}

/** What does not fit a schema, as every answer says it. */
export const issuesOf = (error: z.ZodError): FieldIssue[] =>
  error.issues.map(({ path, message }) => ({ path: path.join('.'), message }))

/** So few items at a time that the work on them does not keep others waiting. */
export function* batchesOf(items: Iterable<Buffer>): Generator<Buffer[]> {
  let batch: Buffer[] = []
  let bytes = 0
  for (const item of items) {
    batch.push(item)
    bytes += item.length
    if (batch.length < AT_ONCE.items && bytes < AT_ONCE.bytes) continue
    yield batch
    batch = []
    bytes = 0
  }
  if (batch.length > 0) yield batch
}

const textOf = (bytes: Buffer): string => {
  if (!isUtf8(bytes)) throw notJson('is not UTF-8')
  return bytes.toString('utf8')
}
