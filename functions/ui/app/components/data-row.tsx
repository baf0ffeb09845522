import { memo, type ReactNode } from 'react'
import { Checkbox } from './checkbox.tsx'

export type Column<Row> = {
  id: string
  header: string
  isHeaderHidden?: boolean
  /** A CSS grid track: `8rem`, `minmax(0, 1fr)`. */
  width: string
  cell: (row: Row) => ReactNode
  /** Width below 768 px; null hides the column there. */
  narrow?: string | null
  /** The field that a click on the header sorts by. */
  sortBy?: string
}

export type Selection = { selected: ReadonlySet<string>; onSelect: (next: ReadonlySet<string>) => void }

/** Needs `--columns` on an ancestor. */
export const rowClass = 'grid grid-cols-(--columns) items-center gap-x-3 border-b px-4 md:px-6'

/** For the single link or button of a row: its hit area is the whole row. It needs `data-row-link` as well. */
export const rowLinkClass = 'outline-none after:absolute after:inset-0'

/** With an anchor, selects all rows between it and `id`; else toggles `id`. */
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
  /** Accessible name of the checkbox. */
  name: string
  index: number
  /** Undefined in a table without selection. */
  isSelected: boolean | undefined
  /** Room for two lines. */
  isTall: boolean
  onToggle: (id: string, isRange: boolean) => void
}

const RowView = <Row,>(props: Props<Row>) => {
  const { columns, row, id, name, index, isSelected, isTall, onToggle } = props
  return (
    <tr
      data-index={index}
      aria-rowindex={index + 2}
      className={`${rowClass} relative ${isTall ? 'h-14' : 'h-9.25'} hover:bg-muted has-[[data-row-link]:focus]:bg-accent has-[[data-row-link]:focus]:shadow-[inset_3px_0_0_var(--ring)] ${isSelected ? 'bg-accent dark:border-input' : ''}`}
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
 * Memoized, so that scrolling renders only new rows. Rows have no inline style: Chromium shares computed styles between elements with equal
 * styles, and a `transform` per row made layout three times as expensive.
 */
export const DataRow = memo(RowView) as typeof RowView
