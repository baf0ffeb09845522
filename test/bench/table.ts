import type { Row } from './row.ts'

const HEAD = ['measure', 'ours', 'against', 'ratio', 'target', '']

/** The rows as aligned text: names to the left, figures to the right. */
export const table = (rows: readonly Row[]): string => {
  const cells = [HEAD, ...rows.map(rowCells)]
  const widths = HEAD.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)))
  const lines = cells.map((line) =>
    line
      .map((cell, column) => pad(cell, widths[column] ?? 0, column))
      .join('  ')
      .trimEnd(),
  )
  const rule = widths.map((width) => '-'.repeat(width)).join('  ')
  return [lines[0], rule, ...lines.slice(1)].join('\n')
}

const rowCells = ({ measure, unit, ours, against, opponent, ratio, target, pass }: Row): string[] => [
  measure,
  `${figure(ours)} ${unit}`,
  `${figure(against)} ${unit} (${opponent})`,
  `${ratio.toFixed(2)} ×`,
  target,
  pass ? 'pass' : 'FAIL',
]

const pad = (cell: string, width: number, column: number): string =>
  column === 0 || column === 5 ? cell.padEnd(width) : cell.padStart(width)

/** Three digits where the number is small, whole and grouped where it is large. */
const figure = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toPrecision(3)
