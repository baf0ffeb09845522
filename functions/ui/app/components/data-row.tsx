import { memo, type ReactNode } from 'react'
import { Checkbox } from './checkbox.tsx'

export type Column<Row> = {
  id: string
  header: string
  /** Whether only screen readers get the header. */
  isHeaderHidden?: boolean
  /** Of CSS grid: `8rem`, `minmax(0, 1fr)`. */
  width: string
  cell: (row: Row) => ReactNode
  /** The same on the screen of a phone; null leaves it out there. */
  narrow?: string | null
  /** What the list is sorted by when its head is pressed. */
  sortBy?: string
}

/** The keys of the rows that are selected, and what is called at a change. */
export type Selection = { selected: ReadonlySet<string>; onSelect: (next: ReadonlySet<string>) => void }

/** In an element that has `--columns`, the widths of the columns. */
export const rowClass = 'grid grid-cols-(--columns) items-center gap-x-3 border-b px-4 md:px-6'

/** For the one link or button of a row that opens it: all of the row is its area. It needs `data-row-link` too. */
export const rowLinkClass = 'outline-none after:absolute after:inset-0'

/** As `toggled`; with an anchor all rows from there to the one that was pressed are selected. */
export const selectedFrom = (
  anchor: string | undefined,
  id: string,
  ids: readonly string[],
  set: ReadonlySet<string>,
): ReadonlySet<string> => {
  const [from, to] = [anchor === undefined ? -1 : ids.indexOf(anchor), ids.indexOf(id)]
  if (from < 0 || to < 0) return toggled(set, id)
  return new Set([...set, ...ids.slice(Math.min(from, to), Math.max(from, to) + 1)])
}

export const toggled = (set: ReadonlySet<string>, id: string): ReadonlySet<string> =>
  set.has(id) ? new Set([...set].filter((one) => one !== id)) : new Set([...set, id])

type Props<Row> = {
  columns: readonly Column<Row>[]
  row: Row
  id: string
  /** What its box is called. */
  name: string
  index: number
  /** Undefined in a table where nothing is selected. */
  isSelected: boolean | undefined
  /** Called when its box is pressed. */
  onToggle: (id: string, isRange: boolean) => void
}

const RowView = <Row,>(props: Props<Row>) => {
  const { columns, row, id, name, index, isSelected, onToggle } = props
  return (
    <tr
      data-index={index}
      aria-rowindex={index + 2}
      className={`${rowClass} relative h-9.25 hover:bg-muted has-[[data-row-link]:focus]:bg-accent has-[[data-row-link]:focus]:shadow-[inset_3px_0_0_var(--ring)] ${isSelected ? 'bg-accent' : ''}`}
    >
      {isSelected !== undefined && (
        <td className="relative z-1 flex">
          <Checkbox
            label={`Select ${name}`}
            isChecked={isSelected}
            onChange={(isRange) => onToggle(id, isRange)}
          />
        </td>
      )}
      {columns.map(({ id: column, cell }) => (
        <td key={column} className="min-w-0 truncate">
          {cell(row)}
        </td>
      ))}
    </tr>
  )
}

/**
 * One row of a table. It is memoized, so that a scroll renders only the rows that come into view. Rows have no inline style: Chromium
 * shares computed styles between elements with the same style, and a `transform` for each row made its cost three times as high.
 */
export const DataRow = memo(RowView) as typeof RowView
