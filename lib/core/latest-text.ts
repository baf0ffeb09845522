/** The text of a model's latest step that is not blank. Each of its thousands of pieces is searched once. */
export const createLatestText = () => {
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
      isBlank &&= piece.trim() === ''
      if (!isBlank) latest = step
      return latest
    },
  }
}
