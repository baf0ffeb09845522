import { definedFields } from '../../core/defined-fields.ts'

/** An object of an answer from outside: each field may be absent or of any type. */
export type Fields = Readonly<Record<string, unknown>>

export const isFields = (given: unknown): given is Fields =>
  typeof given === 'object' && given !== null && !Array.isArray(given)

/** The object; an empty one for anything else. */
export const fieldsIn = (given: unknown): Fields => (isFields(given) ? given : {})

/** The objects of a list; none for anything else. */
export const listIn = (given: unknown): readonly Fields[] => (Array.isArray(given) ? given.map(fieldsIn) : [])

/** A count of tokens; undefined for anything else. */
export const countIn = (given: unknown): number | undefined =>
  Number.isSafeInteger(given) && Number(given) >= 0 ? Number(given) : undefined

/** The named counts of tokens, without those that are absent or are no counts. */
export const countsIn = <Name extends string>(given: unknown, names: readonly Name[]) => {
  const fields = fieldsIn(given)
  return definedFields(Object.fromEntries(names.map((name) => [name, countIn(fields[name])]))) as {
    [Each in Name]?: number
  }
}

/** The text of JSON that a provider sends as a text or, in place of it, as the object itself. */
export const jsonTextIn = (given: unknown): unknown =>
  typeof given === 'object' && given !== null ? JSON.stringify(given) : given

export const textIn = (given: unknown): string | undefined =>
  typeof given === 'string' && given !== '' ? given : undefined
