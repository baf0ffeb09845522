import { textTail } from './cut-text.ts'

/**
 * The text of a model's latest step that is not blank, of a longer one the last `most` characters or some more. Each of its
 * thousands of pieces is searched once.
 */
export const createLatestText = (most = Number.POSITIVE_INFINITY) => {
  let latest = ''
  let step = ''
  let isBlank = true
  return {
    beginStep: (): void => {
      step = ''
      isBlank = true
    },
    add: (piece: string): string => {
      step += piece
      if (step.length > 2 * most) step = textTail(step, most)
      isBlank &&= piece.trim() === ''
      if (!isBlank) latest = step
      return latest
    },
  }
}
