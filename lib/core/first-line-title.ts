import { cutText } from './cut-text.ts'

const MOST_OF_TITLE = 120

/** The title of a task that has none: the first line of its prompt. */
export const firstLineTitle = (prompt: string): string => {
  const line = prompt.split('\n').find((each) => each.trim() !== '') ?? ''
  return cutText(line.trim(), MOST_OF_TITLE).trim()
}
