import { BatchGetCommand, ScanCommand, type ScanCommandInput } from '@aws-sdk/lib-dynamodb'
import type { Clock } from '../../../ports/clock.ts'
import type { BlobOffload } from './blob-offload.ts'
import { type Connection, storageUnavailable } from './connection.ts'
import { createTerms } from './expressions.ts'
import { blobName, type Fields, hasExpired, type Item, keyItem, rowKey, toRow } from './item.ts'
import { merged, type Pace } from './merge.ts'
import { attributeNames, type IndexPlan, type Plan } from './plan.ts'
import { indexQueries, isMissing, needsAll, type Place, type Selection } from './queries.ts'
import type { Rows } from './rows.ts'
import { testedFields, type Verdict, verdictOn } from './where.ts'

const MOST_KEYS = 100
const WAITS_MS = [10, 50, 250, 1_000]

/** One batch; items that were not returned, for their size or for lack of capacity, are requested again. */
const batch = async (
  connection: Connection,
  table: string,
  keys: Item[],
  ConsistentRead: boolean,
): Promise<Item[]> => {
  const items: Item[] = []
  let left = keys
  let barren = 0
  while (left.length > 0) {
    const request = { RequestItems: { [table]: { Keys: left, ConsistentRead } } }
    const answer = await connection.calling(() => connection.client.send(new BatchGetCommand(request)))
    const answered = answer.Responses?.[table] ?? []
    items.push(...answered)
    left = answer.UnprocessedKeys?.[table]?.Keys ?? []
    if (answered.length > 0 || left.length === 0) barren = 0
    else {
      const ms = WAITS_MS[barren++]
      if (ms === undefined) throw storageUnavailable('it did not answer all rows')
      await connection.wait(ms)
    }
  }
  return items
}

const keyText = ({ keys }: Plan, item: Item) => keys.map((key) => item[key]).join('\0')

/**
 * The full items of partly known rows, in their order; undefined for missing ones. `lately` reads with eventual
 * consistency, for half the price.
 */
const hydrate = async (
  connection: Connection,
  plan: Plan,
  rows: readonly Fields[],
  freshness: 'now' | 'lately' = 'now',
): Promise<(Item | undefined)[]> => {
  const keys = rows.map((row) => keyItem(plan, rowKey(plan, row)))
  const batches = Array.from({ length: Math.ceil(keys.length / MOST_KEYS) }, (_, at) =>
    keys.slice(at * MOST_KEYS, (at + 1) * MOST_KEYS),
  )
  const items = await Promise.all(
    batches.map((some) => batch(connection, plan.table, some, freshness === 'now')),
  )
  const byName = new Map(items.flat().map((item) => [keyText(plan, item), item]))
  return keys.map((key) => byName.get(keyText(plan, key)))
}

/** The parts of a table that are scanned in parallel. */
const SEGMENTS = 4

/** Every item in the index, in full and in no order: if most are needed, a fraction of the price of single reads. */
async function* scanned(connection: Connection, { table }: Plan, { s }: IndexPlan): AsyncGenerator<Item[]> {
  const terms = createTerms()
  const FilterExpression = `attribute_exists(${terms.name(s)})`
  const segment = (Segment: number): ScanCommandInput => ({
    TableName: table,
    TotalSegments: SEGMENTS,
    Segment,
    FilterExpression,
    ...terms.attributes(),
  })
  const read = (input: ScanCommandInput) =>
    connection.calling(() => connection.client.send(new ScanCommand(input)))
  let inputs = Array.from({ length: SEGMENTS }, (_, at) => segment(at))
  while (inputs.length > 0) {
    const pages = await Promise.all(inputs.map(read))
    inputs = inputs.flatMap((input, at) => {
      const ExclusiveStartKey = pages[at]?.LastEvaluatedKey
      return ExclusiveStartKey === undefined ? [] : [{ ...input, ExclusiveStartKey }]
    })
    yield pages.flatMap(({ Items = [] }) => Items)
  }
}

/** Blobs that are read at once. */
const CHUNK = 50

/** Reads of blobs, many at a time. A chunk is a call of the connection: after the deadline none begins. */
const createChunkedReads = ({ calling }: Pick<Connection, 'calling'>) => {
  const inChunks = async <T, U>(all: readonly T[], work: (one: T) => Promise<U>): Promise<U[]> => {
    const done: U[] = []
    for (let at = 0; at < all.length; at += CHUNK)
      done.push(...(await calling(() => Promise.all(all.slice(at, at + CHUNK).map(work)))))
    return done
  }

  /** All of them in any order, with offloaded values from `work`, without missing ones. */
  async function* filledIn<T extends object>(
    all: AsyncIterable<T>,
    isDue: (one: T) => boolean,
    work: (one: T) => Promise<T | undefined>,
  ): AsyncGenerator<T> {
    const due: T[] = []
    const done = async () => (await inChunks(due.splice(0), work)).filter((one) => one !== undefined)
    for await (const one of all) {
      if (!isDue(one)) yield one
      else if (due.push(one) === CHUNK) yield* await done()
    }
    yield* await done()
  }

  return { inChunks, filledIn }
}

type Needs = { connection: Connection; rows: Rows; blobs: BlobOffload; clock: Clock }
/** Rows between bounds, in an order, of which about `wanted` are needed. */
type Wanted = Omit<Selection, 'is'> & { wanted: number }
type Tests = Selection['where']
export const ALL = Number.MAX_SAFE_INTEGER

const MOST_READ = 1_000
/** How many rows have to be read until enough match is unknown. */
const FIRST_TESTED = 100

const doubled = (size: number) => Math.min(MOST_READ, size * 2)

/** Rows are spread over partitions at random: extra rows cost as much as needed ones, missing ones another request. */
const readPace = (partitions: number, wanted: number, isTested: boolean): Pace => {
  const part = (rows: number) =>
    Math.min(MOST_READ, Math.ceil(Math.max(1, rows) / Math.max(1, partitions)) + (partitions > 1 ? 1 : 0))
  const ahead = wanted >= ALL
  return isTested
    ? { first: Math.max(FIRST_TESTED, part(wanted)), next: doubled, ahead }
    : { first: part(wanted), next: (_, taken) => part(wanted - taken), ahead }
}

/** Rows that pass every test, as the index has them: without detail, and maybe with pointers for long fields. */
export const createSelect = ({ connection, rows, blobs, clock }: Needs) => {
  const { inChunks, filledIn } = createChunkedReads(connection)

  /** The row with its offloaded values. An index may be late, so a row with a missing blob is read again. */
  const filled = async (plan: Plan, row: Fields, detail: boolean): Promise<Fields | undefined> => {
    const first = await blobs.filled(plan, row, detail)
    if (first.missing.length === 0) return first.row
    return blobs.readComplete(plan, () => rows.read(plan, rowKey(plan, row)), detail, first)
  }

  /** Full rows in their order; undefined for missing ones. */
  const fullRows = async (plan: Plan, some: readonly Fields[], freshness?: 'now' | 'lately') => {
    const items = await hydrate(connection, plan, some, freshness)
    return inChunks(items, async (item) => {
      const row = rows.unexpiredRow(plan, item)
      return row && filled(plan, row, true)
    })
  }

  /** The fields that tests need: most rows fail, and need not be decoded. */
  const tested = ({ expires, fixed }: Plan, item: Item, where: Tests = []): Fields => {
    const fields = [...where.flatMap(testedFields), ...(expires === undefined ? [] : [expires])]
    const names = attributeNames(fixed, fields)
    return toRow(
      Object.fromEntries(names.flatMap((name) => (item[name] !== undefined ? [[name, item[name]]] : []))),
    )
  }

  const evaluated = (plan: Plan, index: IndexPlan, row: Fields, where: Tests): Verdict =>
    hasExpired(plan, row, clock.now())
      ? 'fails'
      : verdictOn(row, where, (field) => !isMissing(plan, index, field) && blobName(row[field]) === undefined)

  type Candidate = { row: Fields; verdict: Verdict }

  /** The rows that pass, in their order; rows whose fields do not decide it are read. */
  const settled = async (plan: Plan, some: readonly Candidate[], where: Tests): Promise<Fields[]> => {
    const unknown = some.filter(({ verdict }) => verdict === 'unknown').map(({ row }) => row)
    const full = await fullRows(plan, unknown, 'lately')
    const passing = new Set(
      unknown.filter((_, at) => full[at] !== undefined && verdictOn(full[at], where) === 'passes'),
    )
    return some.filter(({ row, verdict }) => verdict === 'passes' || passing.has(row)).map(({ row }) => row)
  }

  /** Rows in the order of the index. The tests are evaluated here; a filter of DynamoDB only saves transfer. */
  async function* inOrder(plan: Plan, { index, is }: Place, wish: Wanted): AsyncGenerator<Fields> {
    const { where = [], order, wanted } = wish
    const { inputs } = indexQueries(plan, index, { ...wish, is }, clock.now())
    const pace = readPace(inputs.length, wanted, where.length > 0)
    let chunk: Candidate[] = []
    let size = Math.min(MOST_READ, wanted)
    for await (const item of merged(connection, inputs, index, order, pace)) {
      const verdict = evaluated(plan, index, tested(plan, item, where), where)
      if (verdict === 'fails') continue
      const row = toRow(item)
      if (verdict === 'passes' && chunk.length === 0) {
        yield row
        continue
      }
      chunk.push({ row, verdict })
      if (chunk.length < size) continue
      yield* await settled(plan, chunk, where)
      chunk = []
      size = doubled(size)
    }
    yield* await settled(plan, chunk, where)
  }

  const summary = ({ detail }: Plan, row: Fields): Fields =>
    Object.fromEntries(Object.entries(row).filter(([field]) => !detail.has(field)))

  async function* ofTable(plan: Plan, { index }: Place, where: Tests): AsyncGenerator<Fields> {
    const all = { ...index, carried: undefined }
    for await (const items of scanned(connection, plan, index)) {
      const verdicts = items.map((item) => evaluated(plan, all, tested(plan, item, where), where))
      const open = items.filter((_, at) => verdicts[at] === 'unknown').map(toRow)
      const full = await inChunks(open, (row) => filled(plan, row, true))
      for (const row of items.filter((_, at) => verdicts[at] === 'passes').map(toRow))
        yield summary(plan, row)
      for (const [at, row] of open.entries())
        if (full[at] !== undefined && verdictOn(full[at], where) === 'passes') yield summary(plan, row)
    }
  }

  const all = (plan: Plan, place: Place, wish: Wanted): AsyncGenerator<Fields> =>
    needsAll(plan, place, wish.where) ? ofTable(plan, place, wish.where) : inOrder(plan, place, wish)

  return {
    inOrder,
    all,
    /** All matching rows, in any order, with this field; missing ones are left out. */
    allWith: (plan: Plan, place: Place, wish: Wanted, field: string): AsyncGenerator<Fields> =>
      filledIn(
        all(plan, place, wish),
        (row) => blobName(row[field]) !== undefined,
        (row) => filled(plan, row, false),
      ),
    /** The rows with their long fields and, on request, detail; missing ones are left out. */
    complete: async (plan: Plan, { index }: Place, some: Fields[], detail: boolean): Promise<Fields[]> => {
      const isPart = detail && [...plan.detail].some((field) => isMissing(plan, index, field))
      const full = isPart
        ? await fullRows(plan, some)
        : await inChunks(some, (row) => filled(plan, row, detail))
      return full.filter((row) => row !== undefined)
    },
  }
}
