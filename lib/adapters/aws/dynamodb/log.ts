import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { LogEntry } from '../../../core/collection.ts'
import type { Key, LogRange } from '../../../ports/store.ts'
import { type Connection, queryPages } from './connection.ts'
import { createTerms, createUpdate } from './expressions.ts'
import { hasExpired, type Item, keyItem, metadata, toItem, toRow, visibleRow } from './item.ts'
import { type FindPlan, keyParts, LOG, type Plan, TOKEN } from './plan.ts'

/** The most log entries in a row. Every later write pays for them, so the oldest spill to rows, many at a time. */
const MOST_ENTRIES = 40
const MOST_BYTES = 8_192
/** The entries that stay in the row after a spill. */
const KEPT_ENTRIES = 10
const KEPT_BYTES = 2_048

/** A compact text of an entry: its id, unless that could be read as JSON, then its other fields as JSON. */
const entryText = (entry: LogEntry): string => {
  const { id, ...more } = entry
  if (typeof id !== 'string' || id === '') throw new TypeError('An entry of a log needs an id')
  const text = JSON.stringify(id.includes('{') || !id.isWellFormed() ? entry : more)
  return id.includes('{') || !id.isWellFormed() ? text : id + text
}

export const parsedEntry = (text: string): LogEntry => {
  const at = text.indexOf('{')
  const fields = JSON.parse(text.slice(at))
  return at === 0 ? fields : { id: text.slice(0, at), ...fields }
}

const totalBytes = (texts: readonly string[]) => texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)

const spillCount = (log: readonly string[]): number => {
  if (log.length <= MOST_ENTRIES && totalBytes(log) <= MOST_BYTES) return 0
  let count = 0
  let bytes = 0
  for (const text of log.toReversed()) {
    bytes += Buffer.byteLength(text)
    if (count === KEPT_ENTRIES || bytes > KEPT_BYTES) break
    count += 1
  }
  return log.length - count
}

/** A row after a write: the token of the write, and the log entries in the row. */
type Left = { token: string; log: readonly string[] }
type Needs = { connection: Connection; findPlan: FindPlan; now: () => number; newToken: () => string }

/** Logs of rows: the newest entries are in the row and written with it, older ones in their own rows. */
export const createLogs = ({ connection, findPlan, now, newToken }: Needs) => {
  const logPlan = (plan: Plan): Plan => {
    if (plan.log === undefined) throw new TypeError(`${plan.name} declares no log`)
    return findPlan({ name: plan.log })
  }

  const rowKey = (plan: Plan, key: Key, id: string): Key => [keyParts(plan, key).join('\0'), id]

  /** Writes the oldest entries as rows, then removes them from the row, if it was not written since it was `seen`. */
  const spill = async (plan: Plan, key: Key, { token, log }: Left, most: number): Promise<void> => {
    const entries = logPlan(plan)
    const put = async (text: string) => {
      const { id, ...more } = parsedEntry(text)
      const row = { ...more, ...keyItem(entries, rowKey(plan, key, id)) }
      const Item = toItem(entries, row, { token: newToken(), log: [], born: undefined })
      await connection.client.send(new PutCommand({ TableName: entries.table, Item }))
    }
    await Promise.all(log.slice(0, most).map(put))
    const terms = createTerms()
    const update = createUpdate(terms)
    update.put(TOKEN, newToken())
    update.put(LOG, most === log.length ? undefined : log.slice(most))
    const request = {
      TableName: plan.table,
      Key: keyItem(plan, key),
      UpdateExpression: update.text(),
      ConditionExpression: `${terms.name(TOKEN)} = ${terms.value(token)}`,
      ...terms.attributes(),
    }
    await connection.client.send(new UpdateCommand(request))
  }

  /** The rows of a log in the order of ids, from an id on, inclusive; or the last ones first, so many in one read. */
  async function* spilledRows(
    plan: Plan,
    key: string,
    { from, newest }: { from?: string | undefined; newest?: number },
  ): AsyncGenerator<LogEntry> {
    const entries = logPlan(plan)
    const terms = createTerms()
    const owner = `${terms.name(String(entries.within))} = ${terms.value(key)}`
    const rest = from === undefined ? '' : ` AND ${terms.name(entries.key)} >= ${terms.value(from)}`
    const request = {
      TableName: entries.table,
      ConsistentRead: true,
      KeyConditionExpression: owner + rest,
      ...(newest === undefined ? {} : { ScanIndexForward: false, Limit: newest }),
      ...terms.attributes(),
    }
    for await (const { Items = [] } of queryPages(connection, request))
      for (const row of Items.map(toRow)) {
        const { [String(entries.within)]: _, [entries.key]: id, ...more } = visibleRow(entries, row, true)
        yield { id: String(id), ...more }
      }
  }

  /** At most so many, newest first. The rows are read where those in the item are too few: they are older than these. */
  const newestIn = async (plan: Plan, key: string, item: Item, newest: number): Promise<LogEntry[]> => {
    const entries = metadata(item).log.map(parsedEntry).toReversed().slice(0, newest)
    if (entries.length === newest) return entries
    const ownIds = new Set(entries.map(({ id }) => id))
    for await (const entry of spilledRows(plan, key, { newest })) {
      if (!ownIds.has(entry.id)) entries.push(entry)
      if (entries.length === newest) break
    }
    return entries
  }

  return {
    /** The texts of a write's entries. Throws TypeError for entries that cannot be stored. */
    entryTexts: (plan: Plan, entries: readonly LogEntry[] = []): string[] => {
      if (entries.length > 0) logPlan(plan)
      return entries.map(entryText)
    },

    /** Whether the row, or a row of its log, has the entry. */
    has: async (plan: Plan, key: Key, item: Item, text: string, isRepeated: boolean): Promise<boolean> => {
      if (metadata(item).log.includes(text)) return true
      if (!isRepeated) return false
      return (await connection.get(logPlan(plan), rowKey(plan, key, parsedEntry(text).id))) !== undefined
    },

    /**
     * Spills entries of a row when there are too many. It never fails the write of the row, which is done: the next write
     * tries again.
     */
    settle: async (plan: Plan, key: Key, token: string, log: readonly string[]): Promise<void> => {
      const most = spillCount(log)
      if (most > 0) await spill(plan, key, { token, log }, most).catch(() => undefined)
    },

    /** The entries in the order of their writes; spilled ones are merged by their ids. */
    read: async (plan: Plan, key: string, range: LogRange = {}): Promise<LogEntry[]> => {
      const item = await connection.get(plan, key)
      if (item === undefined || hasExpired(plan, toRow(item), now())) return []
      if ('newest' in range) return newestIn(plan, key, item, range.newest)
      const { after, limit = Infinity } = range
      const own = metadata(item).log.map(parsedEntry)
      const ownIds = new Set(own.map(({ id }) => id))
      const from = after === undefined ? undefined : [after, ...ownIds].reduce((a, b) => (a < b ? a : b))
      const entries: LogEntry[] = []
      let isBeyond = after === undefined
      for await (const entry of merged(spilledRows(plan, key, { from }), own, ownIds)) {
        if (isBeyond) entries.push(entry)
        if (entries.length >= limit) break
        isBeyond ||= entry.id === after
      }
      return entries
    },
  }
}
export type Logs = ReturnType<typeof createLogs>

/** Merges spilled entries and those of the row by id, without spilled ones that the row still has. */
async function* merged(
  rows: AsyncIterable<LogEntry>,
  own: readonly LogEntry[],
  ownIds: ReadonlySet<string>,
): AsyncGenerator<LogEntry> {
  let at = 0
  for await (const row of rows) {
    if (ownIds.has(row.id)) continue
    for (let head = own[at]; head !== undefined && head.id < row.id; head = own[at]) {
      yield head
      at += 1
    }
    yield row
  }
  yield* own.slice(at)
}
