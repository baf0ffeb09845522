import { createHash } from 'node:crypto'
import type { Blobs } from '../../../ports/blobs.ts'
import type { Key } from '../../../ports/store.ts'
import { uncertain } from './connection.ts'
import { type Plan, partsOf } from './plan.ts'
import { blobOf, type Fields, pointerTo } from './value.ts'

/** The verbs of the port that are needed here. */
export type Texts = Pick<Blobs, 'put' | 'get' | 'remove'>

/** A heavy value of more bytes of JSON than this lies in a blob: every write of a row costs as much as the row is large. */
const MOST_INSIDE = 32_000
const PLAIN = /^[A-Za-z0-9_-]{1,150}$/

/** Blob names are plain; keys need not be. */
const plain = (part: string) =>
  PLAIN.test(part) ? part : createHash('sha256').update(part).digest('base64url')

type Needs = { blobs: Texts | undefined; mostInside: number | undefined; newToken: () => string }

/** What of a row lies beside it. */
export const createAside = ({ blobs, mostInside = MOST_INSIDE, newToken }: Needs) => {
  /** The fields with their large heavy values put aside. A name is used once, so that no reader finds another's text. */
  const put = async (plan: Plan, key: Key, fields: Readonly<Fields>): Promise<Fields> => {
    if (blobs === undefined || plan.heavy.size === 0) return fields
    const folder = ['rows', plan.name, ...partsOf(plan, key).map(plain)].join('/')
    const aside = Object.entries(fields).map(async ([field, value]) => {
      const text = plan.heavy.has(field) && mayBeLarge(value) ? JSON.stringify(value) : undefined
      if (text === undefined || Buffer.byteLength(text) <= mostInside) return [field, value] as const
      const name = `${folder}/${newToken()}`
      await blobs.put(name, text)
      return [field, pointerTo(name)] as const
    })
    return Object.fromEntries(await Promise.all(aside))
  }

  /** The row with what was put aside, or undefined when some of it is gone: the row was written since it was read. */
  const filled = async (row: Fields): Promise<Fields | undefined> => {
    const names = namesIn(row)
    if (names.size === 0) return row
    if (blobs === undefined)
      throw new Error('A row has its detail in a blob, and the store was given no blobs')
    const texts = await Promise.all(
      [...names].map(async ([field, name]) => [field, await blobs.get(name)] as const),
    )
    if (texts.some(([, text]) => text === undefined)) return undefined
    return { ...row, ...Object.fromEntries(texts.map(([field, text]) => [field, JSON.parse(text ?? '')])) }
  }

  /** Reads until the row and what it points to are of one piece. */
  const whole = async (read: () => Promise<Fields | undefined>): Promise<Fields | undefined> => {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const row = await read()
      if (row === undefined) return undefined
      const full = await filled(row)
      if (full !== undefined) return full
    }
    throw uncertain()
  }

  /** A row that is about to go, with what is about to go with it. */
  const last = async (row: Fields): Promise<Fields> => (await filled(row)) ?? row

  /** Removes what `before` points to and `after` does not. What stays behind costs storage, not truth. */
  const tidy = async (before: Fields | undefined, after: Fields | undefined): Promise<void> => {
    if (blobs === undefined || before === undefined) return
    const kept = new Set(namesIn(after ?? {}).values())
    const gone = [...namesIn(before).values()].filter((name) => !kept.has(name))
    await Promise.allSettled(gone.map((name) => blobs.remove(name)))
  }

  return { put, filled, last, whole, tidy, active: blobs !== undefined }
}
export type Aside = ReturnType<typeof createAside>

const MOST_TRIES = 3

const mayBeLarge = (value: unknown) =>
  typeof value === 'string' || (typeof value === 'object' && value !== null && blobOf(value) === undefined)

const namesIn = (row: Readonly<Fields>): Map<string, string> =>
  new Map(
    Object.entries(row).flatMap(([field, value]) => {
      const name = blobOf(value)
      return name === undefined ? [] : [[field, name] as const]
    }),
  )
