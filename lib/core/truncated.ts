import * as z from 'zod'
import { Problem } from './errors.ts'

/**
 * The names of a row's fields whose stored object is gone. The rest of the row is served; a required field has the
 * placeholder of its collection.
 */
type Truncated = { readonly truncated?: readonly string[] }

/** The field of a view that says what is missing in it. */
export const TruncatedSchema = z
  .array(z.string().max(100))
  .max(100)
  .optional()
  .describe('The fields whose stored text is gone; the rest is complete')

/** The placeholder of a required text. */
export const LOST_TEXT = '[The stored text is gone]'

/** The fields among `names` that the row has lost. */
export const lostFields = (row: object, names: readonly string[]): string[] =>
  ((row as Truncated).truncated ?? []).filter((name) => names.includes(name))

/** Says which stored fields are gone. */
export const lostText = (fields: readonly string[]): string =>
  `its stored ${fields.join(', ')} ${fields.length === 1 ? 'is' : 'are'} gone`

/** Throws Problem `invalid` `stored_data_lost` when the row has lost any of these fields. */
export const refuseLost = (row: object, names: readonly string[], what: string): void => {
  const lost = lostFields(row, names)
  if (lost.length > 0) throw new Problem('invalid', 'stored_data_lost', `${what}: ${lostText(lost)}`)
}

/** The `truncated` of a row, to be added to its view. */
export const truncatedIn = (row: object): { truncated?: string[] } => {
  const { truncated } = row as Truncated
  return truncated === undefined ? {} : { truncated: [...truncated] }
}
