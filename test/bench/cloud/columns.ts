/** Cells as aligned text under their heads: those of the first `left` columns to the left, figures to the right. */
export const columns = (
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  left: number,
): string => {
  const all = [heads, ...rows]
  const widths = heads.map((_, at) => Math.max(...all.map((cells) => cells[at]?.length ?? 0)))
  const alignedLine = (cells: readonly string[]) =>
    cells
      .map((cell, at) => (at < left ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  ')
      .trimEnd()
  const [head = '', ...lines] = all.map(alignedLine)
  return [head, widths.map((width) => '-'.repeat(width)).join('  '), ...lines].join('\n')
}

/** One decimal where it says something. */
export const figure = (value: number): string =>
  value >= 100 || Number.isInteger(value) ? Math.round(value).toLocaleString('en-US') : value.toFixed(1)
