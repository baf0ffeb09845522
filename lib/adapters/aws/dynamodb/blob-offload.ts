import { createHash } from 'node:crypto'
import { Problem } from '../../../core/errors.ts'
import type { Blobs } from '../../../ports/blobs.ts'
import type { Key } from '../../../ports/store.ts'
import { storageUnavailable } from './connection.ts'
import { blobName, type Fields, pointerTo } from './item.ts'
import { keyParts, type Plan } from './plan.ts'

/** The verbs of `Blobs` that offloading calls. */
export type Texts = Pick<Blobs, 'put' | 'get' | 'remove'>

/** A value of detail with more bytes of JSON than this goes to a blob: every write costs by the size of the row. */
const MOST_INSIDE = 32_000
const PLAIN = /^[A-Za-z0-9_-]{1,150}$/

/** Names of blobs allow few characters; keys allow more. */
const plain = (part: string) =>
  PLAIN.test(part) ? part : createHash('sha256').update(part).digest('base64url')

type Needs = {
  blobs?: Texts | undefined
  mostInside?: number | undefined
  mostCopied?: number | undefined
  newToken: () => string
  /** Called for each read of a row whose blobs are gone. */
  onLost?: ((collection: string, missing: Filled['missing']) => void) | undefined
}

/** A row, and the fields whose blob is missing, each with its pointer. */
type Filled = { row: Fields; missing: readonly (readonly [field: string, pointer: string])[] }

/** Values of a row that are stored in blobs; the row has pointers to them (the claim check pattern). */
export const createBlobOffload = (needs: Needs) => {
  const { blobs, mostInside = MOST_INSIDE, mostCopied, newToken, onLost } = needs
  const budget = createProjectionBudget(mostCopied)
  const rowFolder = (plan: Plan, key: Key) => ['rows', plan.name, ...keyParts(plan, key).map(plain)].join('/')

  /** Stores large values of detail, each in its own blob. */
  const putDetail = async (texts: Texts, plan: Plan, key: Key, fields: Readonly<Fields>): Promise<Fields> => {
    const offloaded = Object.entries(fields).map(async ([field, value]) => {
      const text = plan.detail.has(field) && mayBeLarge(value) ? JSON.stringify(value) : undefined
      if (text === undefined || Buffer.byteLength(text) <= mostInside) return [field, value] as const
      const name = `${rowFolder(plan, key)}/${newToken()}`
      await texts.put(name, text)
      return [field, pointerTo(name)] as const
    })
    return Object.fromEntries(await Promise.all(offloaded))
  }

  /** Stores the named values in one blob, so that a list reads one blob per row. */
  const putTogether = async (
    texts: Texts,
    plan: Plan,
    key: Key,
    fields: Readonly<Fields>,
    names: readonly string[],
  ): Promise<Fields> => {
    if (names.length === 0) return fields
    const blob = `${rowFolder(plan, key)}/${newToken()}`
    await texts.put(blob, JSON.stringify(Object.fromEntries(names.map((field) => [field, fields[field]]))))
    return { ...fields, ...Object.fromEntries(names.map((field) => [field, pointerTo(blob + PART + field)])) }
  }

  const putting =
    (excessFields: (plan: Plan, fields: Readonly<Fields>) => readonly string[]) =>
    async (plan: Plan, key: Key, fields: Readonly<Fields>): Promise<Fields> => {
      if (blobs === undefined || plan.detail.size + plan.long.size === 0) return fields
      const withoutExcess = await putTogether(blobs, plan, key, fields, excessFields(plan, fields))
      return putDetail(blobs, plan, key, withoutExcess)
    }

  /** The value of a blob; undefined for one that is gone, or damaged, which is as lost. */
  const parsed = async (name: string): Promise<unknown> => {
    if (blobs === undefined) throw new Error('A row lies in part in a blob, and the store was given no blobs')
    try {
      const text = await blobs.get(name)
      // No large value is null.
      return text === undefined ? undefined : (JSON.parse(text) ?? undefined)
    } catch (thrown) {
      if (thrown instanceof SyntaxError || (thrown instanceof Problem && thrown.code === 'file_damaged'))
        return undefined
      throw thrown
    }
  }

  /** The row with its offloaded values; those of detail only with `detail`. Missing ones stay pointers. */
  const filled = async (plan: Plan, row: Fields, detail: boolean): Promise<Filled> => {
    const pointers = [...pointersIn(row)].filter(([field]) => detail || !plan.detail.has(field))
    if (pointers.length === 0) return { row, missing: [] }
    const names = [...new Set(pointers.map(([, name]) => blobPart(name)))]
    const parsedBlobs = new Map(
      await Promise.all(names.map(async (name) => [name, await parsed(name)] as const)),
    )
    const values = pointers.map(([field, pointer]) => {
      const value = parsedBlobs.get(blobPart(pointer))
      return [field, pointer.includes(PART) ? (value as Fields | undefined)?.[field] : value] as const
    })
    const present = values.filter(([, value]) => value !== undefined)
    const missing = pointers.filter((_, at) => values[at]?.[1] === undefined)
    return { row: { ...row, ...Object.fromEntries(present) }, missing }
  }

  /** The row of which some values are lost: it names their fields in `truncated`, and has placeholders for them. */
  const truncated = (plan: Plan, { row, missing }: Filled): Fields => {
    if (missing.length === 0) return row
    onLost?.(plan.name, missing)
    const fields = missing.map(([field]) => field).sort()
    const before = Array.isArray(row.truncated) ? row.truncated : []
    const instead = fields.map((field) => [field, plan.placeholders[field]])
    return { ...row, ...Object.fromEntries(instead), truncated: [...new Set([...before, ...fields])] }
  }

  /**
   * Reads until the row and its blobs belong to the same write, beginning with `first` where it was read already. A blob is
   * removed only after its row was changed, so one that is missing for two reads of the same pointer is lost.
   */
  const readComplete = async (
    plan: Plan,
    read: () => Promise<Fields | undefined>,
    detail: boolean,
    first?: Filled,
  ): Promise<Fields | undefined> => {
    let before = first && pointersText(first)
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const row = await read()
      if (row === undefined) return undefined
      const full = await filled(plan, row, detail)
      const now = pointersText(full)
      if (full.missing.length === 0 || now === before) return truncated(plan, full)
      before = now
    }
    throw storageUnavailable('a row changed each time that it was read')
  }

  /** Whether the row still has these pointers: then their blobs are lost, and were not replaced. */
  const hasPointers = (row: Fields | undefined, missing: Filled['missing']): boolean =>
    missing.every(([field, pointer]) => blobName(row?.[field]) === pointer)

  /** A row as a write left or found it. A value that was replaced since counts as lost, too. */
  const last = async (plan: Plan, row: Fields, detail: boolean): Promise<Fields> =>
    truncated(plan, await filled(plan, row, detail))

  /** Removes the blobs of `before` that `after` does not point to. A remaining blob only costs storage. */
  const tidy = async (before: Fields | undefined, after: Fields | undefined): Promise<void> => {
    if (blobs === undefined || before === undefined) return
    const current = blobsIn(after ?? {})
    const obsolete = [...blobsIn(before)].filter((name) => !current.has(name))
    await Promise.allSettled(obsolete.map((name) => blobs.remove(name)))
  }

  return {
    /** A new row with large values in blobs. A name is used once, so that no reader finds another value's text. */
    putRow: putting(budget.rowExcess),
    put: putting(budget.changeExcess),
    filled,
    last,
    readComplete,
    hasPointers,
    tidy,
    active: blobs !== undefined,
  }
}
export type BlobOffload = ReturnType<typeof createBlobOffload>

const MOST_TRIES = 4

// Items have no order of fields.
const pointersText = ({ missing }: Filled) =>
  missing
    .map((one) => one.join(' '))
    .sort()
    .join()

const mayBeLarge = (value: unknown) =>
  typeof value === 'string' || (typeof value === 'object' && value !== null && blobName(value) === undefined)

/** Separates the name of a blob from the field in it; no name contains it. */
const PART = '#'
const blobPart = (pointer: string) => pointer.split(PART, 1)[0] ?? ''

const pointersIn = (row: Readonly<Fields>): Map<string, string> =>
  new Map(
    Object.entries(row).flatMap(([field, value]) => {
      const name = blobName(value)
      return name === undefined ? [] : [[field, name] as const]
    }),
  )
const blobsIn = (row: Readonly<Fields>) => new Set([...pointersIn(row).values()].map(blobPart))

/**
 * The most bytes that an index copies of a new row. In the worst case, with later fields and every long field just below
 * the limit of offloading, the 50 newest rows take 16 read units: 1.7 kB each, and a quarter of them read in vain.
 */
const MOST_COPIED = 800
/** The share of that for long fields that are set later, and the size below which offloading does not pay. */
const LATER = 0.5
const LEAST_OFFLOADED = 0.14
const POINTER = 85

const jsonBytes = (field: string, value: unknown): number =>
  field.length + Buffer.byteLength(JSON.stringify(value) ?? '')

type Sized = { field: string; size: number }
const sized = (fields: Readonly<Fields>, names: Iterable<string>): Sized[] =>
  [...names]
    .filter((field) => fields[field] !== undefined)
    .map((field) => ({ field, size: jsonBytes(field, fields[field]) }))

/** The projection budget: which long fields are too large for an index that copies `most` bytes of a new row. */
export const createProjectionBudget = (most = MOST_COPIED) => ({
  /** The fields to offload from a new row: the longest, until the others fit. */
  rowExcess: ({ long, detail }: Plan, row: Readonly<Fields>): string[] => {
    if (long.size === 0) return []
    const summary = Object.keys(row).filter((field) => !detail.has(field))
    let left = sized(row, summary).reduce((sum, { size }) => sum + size, 0)
    const over: string[] = []
    for (const { field, size } of sized(row, long).sort((a, b) => b.size - a.size)) {
      if (left <= most || size < most * LEAST_OFFLOADED) break
      left -= size - POINTER
      over.push(field)
    }
    return over
  },
  changeExcess: ({ long }: Plan, set: Readonly<Fields>): string[] =>
    sized(set, long)
      .filter(({ field, size }) => size > most * LATER && blobName(set[field]) === undefined)
      .map(({ field }) => field),
})
