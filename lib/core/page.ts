import * as z from 'zod'
import { decodeCursor, encodeCursor, type Place } from './cursor.ts'
import { issueText, valueText } from './issue-text.ts'

export const queryInt = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(least).max(most))

export const queryFlag = z.enum(['true', 'false']).transform((value) => value === 'true')

const MOST_OF_LIST = 100

/** A comma-separated list in a query string, each part checked by `part`. An issue names the value at fault. */
export const queryList = <T extends z.ZodType<unknown, string>>(part: T) => {
  const list = z.array(part).max(MOST_OF_LIST)
  return z.string().transform((text, { issues }): z.output<T>[] => {
    const values = text.split(',').map((entry) => entry.trim())
    const parsed = list.safeParse(values, { error: issueText })
    if (parsed.success) return parsed.data
    for (const issue of parsed.error.issues) {
      const value = values[Number(issue.path[0])]
      const message = value === undefined ? issue.message : valueText(value, issue)
      issues.push({ code: 'custom', message, input: text })
    }
    return z.NEVER
  })
}

/** A list in a body: an array, or a comma-separated text as in a query string. `part` checks each part. */
export const listIn = <T extends z.ZodType<unknown, string>>(part: T) =>
  z.union([z.array(part).min(1).max(MOST_OF_LIST), queryList(part)])

const notATime = { error: 'must be an ISO 8601 date or time' }

/** A moment, or the beginning of a day in UTC, in a query string. */
export const queryFrom = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], notATime)
  .transform((text) => new Date(text).toISOString())

/** A moment, or the last millisecond of a day in UTC, in a query string. */
export const queryUntil = z
  .union(
    [z.iso.datetime({ offset: true }), z.iso.date().transform((day) => `${day}T23:59:59.999Z`)],
    notATime,
  )
  .transform((text) => new Date(text).toISOString())

/** The query parameters of every list: `limit` with `offset`, or `limit` with the `cursor` of the page before. */
export const pageQuery = {
  limit: queryInt(1, 200).default(50).describe('Maximum number of items'),
  offset: queryInt(0, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('Number of items to skip, instead of a cursor'),
  cursor: z.string().max(6_000).optional().describe('`nextCursor` of the previous page'),
}

export const pageAnswer = {
  total: z.number().describe('Number of items on all pages'),
  count: z.number().describe('Number of items on this page'),
  limit: z.number(),
  offset: z.number().optional(),
  nextCursor: z
    .string()
    .optional()
    .meta({ description: 'Cursor of the next page; absent on the last page', examples: ['eyJ2IjoxfQ'] }),
}

export const PageQuery = z.object(pageQuery)
export type PageQuery = z.output<typeof PageQuery>

type ListQuery = { limit: number; offset?: number | undefined; cursor?: string | undefined }

/** The rows of a page: after its cursor, which takes precedence, or from its offset. Throws as `decodeCursor` does. */
export const pageRange = ({ limit, offset = 0, cursor }: ListQuery, scope: string) => ({
  limit,
  ...(cursor === undefined ? { offset } : { after: decodeCursor(cursor, scope) }),
})

export type PageRange = ReturnType<typeof pageRange>

/** The total by a counter, which may lag behind the rows; exact on the last page from the start or an offset. */
export const pageTotal = (
  { rows, next }: Page<unknown>,
  counted: number | undefined,
  { offset = 0, cursor }: Pick<ListQuery, 'offset' | 'cursor'>,
): number => {
  const first = cursor === undefined ? offset : 0
  const isEnd = cursor === undefined && next === undefined && (rows.length > 0 || first === 0)
  return isEnd ? first + rows.length : Math.max(counted ?? 0, rows.length === 0 ? 0 : first + rows.length)
}

/** A page of a list; `count` reads the counter of its rows. Throws as `decodeCursor` does. */
export const countedPage = async <R>(
  query: ListQuery,
  scope: string,
  reads: {
    page(range: PageRange): Promise<{ rows: R[]; next: Place | undefined }>
    count(): Promise<number | undefined>
  },
) => {
  const range = pageRange(query, scope)
  const [page, counted] = await Promise.all([reads.page(range), reads.count()])
  return { rows: page.rows, facts: pageFacts(page, pageTotal(page, counted, query), query, scope) }
}

type Page<R> = { rows: readonly R[]; next: Place | undefined; total?: number }

/** Reads the rows of all pages, a page only when the caller has taken the rows of the page before. */
export async function* rowPages<R>(
  read: (from: { after?: Place }) => Promise<Page<R>>,
): AsyncGenerator<readonly R[]> {
  let after: Place | undefined
  do {
    const { rows, next } = await read(after === undefined ? {} : { after })
    yield rows
    after = next
  } while (after !== undefined)
}

const ROWS_AT_ONCE = 500

/** Reads the rows that a selection covers. `toQuery` makes its query, with its own limit, if it has one. */
export const createSelection = <S, Q extends { limit: number | undefined }, R, T>(
  toQuery: (selection: S) => Q,
  page: (query: Omit<Q, 'limit'> & { limit: number; total?: boolean; after?: Place }) => Promise<Page<R>>,
  toItem: (row: R) => T,
) => ({
  /** The number of rows, and the first `sample` of them. */
  preview: async (selection: S, sample: number): Promise<{ rows: readonly R[]; count: number }> => {
    const { limit, ...query } = toQuery(selection)
    const { rows, total = 0 } = await page({
      ...query,
      limit: Math.min(sample, limit ?? sample),
      total: true,
    })
    return { rows, count: Math.min(total, limit ?? total) }
  },
  /** The items in order, at most `most`. */
  items: async (selection: S, most: number): Promise<T[]> => {
    const { limit: own = most, ...query } = toQuery(selection)
    const wanted = Math.min(most, own)
    const limit = Math.min(wanted, ROWS_AT_ONCE)
    const items: T[] = []
    for await (const rows of rowPages((from) => page({ ...query, limit, ...from }))) {
      items.push(...rows.map(toItem))
      if (items.length >= wanted) break
    }
    return items.slice(0, wanted)
  },
})

/** The fields of a list beside its rows; `total` counts the rows of all pages. */
export const pageFacts = (
  { rows, next }: Page<unknown>,
  total: number,
  { limit, offset, cursor }: ListQuery,
  scope: string,
) => ({
  total,
  count: rows.length,
  limit,
  ...(offset === undefined || cursor !== undefined ? {} : { offset }),
  ...(next ? { nextCursor: encodeCursor(next, scope) } : {}),
})
