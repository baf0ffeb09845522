export type FileDiff = { path: string; lines: readonly string[]; added: number; removed: number }

const START = 'diff --git '

/** The files of a diff in git's form, without the lines that are for programs only. */
export const filesOfDiff = (text: string): FileDiff[] => {
  const parts = `\n${text.trimEnd()}`.split(`\n${START}`)
  return parts.flatMap((part, n) => (n === 0 ? [] : [fileOf(part)]))
}

const fileOf = (part: string): FileDiff => {
  const [head = '', ...rest] = part.split('\n')
  const at = rest.findIndex((line) => line.startsWith('@@'))
  // What is binary or was only renamed has no lines of its own.
  const lines = at < 0 ? rest : rest.slice(at)
  const count = (sign: string) => (at < 0 ? 0 : lines.filter((line) => line.startsWith(sign)).length)
  return { path: head.replace(/^a\/.* b\//, ''), lines, added: count('+'), removed: count('-') }
}
