/**
 * The text of a model's latest step that is not blank, while it is streamed. A long text comes in thousands of pieces: each
 * piece is searched once, since a search of the whole text for each would cost the square of its length.
 */
export const createLatestText = () => {
  let latest = ''
  let step = ''
  let isBlank = true
  return {
    beginStep: (): void => {
      step = ''
      isBlank = true
    },
    /** Adds a piece of the step, and returns the latest text. */
    add: (piece: string): string => {
      step += piece
      isBlank &&= piece.trim() === ''
      if (!isBlank) latest = step
      return latest
    },
  }
}
