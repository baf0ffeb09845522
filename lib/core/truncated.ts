import * as z from 'zod'
import { Problem } from './errors.ts'

/** The fields of a row whose stored object is gone; a required one has the placeholder of its collection. */
type Truncated = { readonly truncated?: readonly string[] }

/** The field of a view that says what is missing in it. */
export const TruncatedSchema = z
  .array(z.string().max(100))
  .max(100)
  .optional()
  .describe('Fields with missing stored text; all other fields are complete')

export const LOST_TEXT = '[The stored text is missing]'

/** The fields among `names` that the row has lost. */
export const lostFields = (row: object, names: readonly string[]): string[] =>
  ((row as Truncated).truncated ?? []).filter((name) => names.includes(name))

/** `systemPrompt` as people write it. */
const spelled = (field: string) => field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

export const lostText = (fields: readonly string[]): string => {
  const names = fields.map(spelled).join(', ')
  return `its stored ${names} ${fields.length > 1 || names.endsWith('s') ? 'are' : 'is'} missing`
}

/** Throws Problem `invalid` `stored_data_lost` when the row has lost any of these fields. */
export const refuseLost = (row: object, names: readonly string[], what: string): void => {
  const lost = lostFields(row, names)
  if (lost.length > 0) throw new Problem('invalid', 'stored_data_lost', `${what}: ${lostText(lost)}`)
}

/** The `truncated` of a row, to be added to its view; `shownAs` has the view's names of fields with another name. */
export const truncatedIn = (
  row: object,
  shownAs: Readonly<Record<string, string>> = {},
): { truncated?: string[] } => {
  const { truncated } = row as Truncated
  return truncated === undefined ? {} : { truncated: truncated.map((name) => shownAs[name] ?? name) }
}
