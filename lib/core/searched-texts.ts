import type { SearchedText } from './collection.ts'
import { fold } from './fold.ts'

const asText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** The texts of a row that a search looks through, by their names; those that it has. */
export const searchedTexts = <R extends object>(
  search: readonly SearchedText<R>[],
  row: Readonly<R>,
): readonly (readonly [name: string, text: string])[] =>
  search.flatMap(({ name, field, text = asText }) => {
    const found = row[field] === undefined ? undefined : text(row[field])
    return found === undefined || found === '' ? [] : [[name, found] as const]
  })

/** Whether each of the folded words is a part of any of the texts. */
export const hasWords = (
  texts: readonly (readonly [string, string])[],
  folded: readonly string[],
): boolean => {
  const all = texts.map(([, text]) => fold(text))
  return folded.every((word) => all.some((text) => text.includes(word)))
}
