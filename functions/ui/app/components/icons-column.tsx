import type { ComponentType } from 'react'
import type { Column } from './data-row.tsx'

type Props<Row> = {
  /** For screen readers. */
  header: string
  /** The largest number of icons in a row. */
  count: number
  isOnPhones?: boolean
  icons: ComponentType<Row>
}

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
