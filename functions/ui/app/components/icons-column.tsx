import type { ComponentType } from 'react'
import type { Column } from './data-row.tsx'

type Props<Row> = {
  /** What screen readers call the column: its icons say themselves what they do. */
  header: string
  /** The most icons that a row has. */
  count: number
  /** Whether the screen of a phone has it too. */
  isOnPhones?: boolean
  icons: ComponentType<Row>
}

/** The last column of a table, with icon buttons at the right edge. */
export const iconsColumn = <Row extends object>(props: Props<Row>): Column<Row> => {
  const { header, count, isOnPhones = false, icons: Icons } = props
  const width = `${count * 2}rem`
  return {
    id: 'icons',
    header,
    isHeaderHidden: true,
    width,
    narrow: isOnPhones ? width : null,
    cell: (row) => (
      <span className="relative z-1 flex justify-end">
        <Icons {...row} />
      </span>
    ),
  }
}
