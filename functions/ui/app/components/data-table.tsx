import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useRef } from 'react'
import { Checkbox } from './checkbox.tsx'
import { type Column, DataRow, rowClass, type Selection } from './data-row.tsx'
import { useNarrow } from './narrow.ts'
import { useRowKeys } from './row-keys.ts'
import { SkeletonRows } from './skeleton.tsx'

type Props<Row> = {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  /** What a row is called where it is selected; its key when this is left out. */
  nameOf?: (row: Row) => string
  selection?: Selection
  isLoading?: boolean
  /** Called when the last of the rows is about to be seen and there may be more. */
  onMore?: (() => void) | undefined
  /** How many rows there are, those that are not loaded included. */
  total?: number
  empty: ReactNode
}

/** The height of a row, and how many before the last one more are asked for. */
const ROW = 37
const AHEAD = 15
const BOX = '1.25rem'

/**
 * Rows of any number: only those in view are in the document. `j` `k` go to the next row's link (`rowLinkClass`), Enter
 * opens it, `x` selects. It fills what it stands in, which must have a height (`<View isFixed>`).
 */
export const DataTable = <Row,>(props: Props<Row>) => {
  const {
    label,
    rows,
    keyOf,
    nameOf = keyOf,
    selection,
    onMore,
    empty,
    isLoading = false,
    total = rows.length,
  } = props
  const isNarrow = useNarrow()
  const columns = isNarrow ? props.columns.filter(({ narrow }) => narrow !== null) : props.columns
  const widths = columns.map(({ width, narrow }) => (isNarrow && narrow) || width)
  const template = [...(selection ? [BOX] : []), ...widths].join(' ')
  const scroller = useRef<HTMLElement>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 12,
    scrollPaddingStart: ROW,
  })
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (rows.length > 0 && last >= rows.length - AHEAD) onMore?.()
  }, [last, rows.length, onMore])
  useRowKeys({ ids: rows.map(keyOf), selection, scroller, show: (at) => virtual.scrollToIndex(at) })

  if (isLoading) return <SkeletonRows count={12} />
  if (rows.length === 0) return <>{empty}</>
  return (
    <section ref={scroller} aria-label={label} className="min-h-0 flex-1 overflow-auto">
      <table aria-label={label} aria-rowcount={total + 1} className="block min-w-full text-left">
        <Head {...{ columns, template, selection }} ids={rows.map(keyOf)} />
        <tbody className="relative block" style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, start }) => {
            const row = rows[index] as Row
            const id = keyOf(row)
            return (
              <DataRow
                key={id}
                {...{ columns, template, row, id, index, start, selection }}
                name={nameOf(row)}
                height={ROW}
              />
            )
          })}
        </tbody>
      </table>
    </section>
  )
}

type HeadProps<Row> = {
  columns: readonly Column<Row>[]
  template: string
  selection: Selection | undefined
  ids: readonly string[]
}

const Head = <Row,>({ columns, template, selection, ids }: HeadProps<Row>) => {
  const isAll = selection !== undefined && ids.every((id) => selection.selected.has(id))
  return (
    <thead className="sticky top-0 z-10 block bg-background">
      <tr aria-rowindex={1} className={`${rowClass} h-8`} style={{ gridTemplateColumns: template }}>
        {selection && (
          <th className="flex">
            <Checkbox
              label="Select all that are loaded"
              isChecked={isAll}
              onChange={() => selection.onSelect(new Set(isAll ? [] : ids))}
            />
          </th>
        )}
        {columns.map(({ id, header, narrow }) => (
          <th key={id} className="truncate text-xs font-normal text-muted-foreground">
            <span className={narrow ? 'max-md:sr-only' : ''}>{header}</span>
          </th>
        ))}
      </tr>
    </thead>
  )
}
