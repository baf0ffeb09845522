import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { type CSSProperties, type ReactNode, useCallback, useEffect, useMemo, useRef } from 'react'
import { Checkbox } from './checkbox.tsx'
import { type Column, DataRow, rowClass, type Selection, selectedFrom } from './data-row.tsx'
import { useNarrow } from './narrow.ts'
import { Problem } from './problem.tsx'
import { useRemembered } from './remembered.ts'
import { type RowActs, useRowKeys } from './row-keys.ts'
import { SkeletonRows } from './skeleton.tsx'

type Sorting = { by: string; order: 'asc' | 'desc'; onSort: (by: string) => void }

type Props<Row> = {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  /** Accessible name of a row in a selection. The default is its id. */
  getName?: (row: Row) => string
  selection?: Selection
  sorting?: Sorting
  acts?: RowActs
  isLoading?: boolean
  /** Called when the end of the rows is near and there may be more. */
  onMore?: (() => void) | undefined
  /** Includes rows that are not loaded. */
  total?: number
  /** On narrow screens all rows have room for two lines. */
  isTallOnPhones?: boolean
  /** Whether a row has room for two lines on wide screens. */
  hasTwoLines?: (row: Row) => boolean
  empty: ReactNode
}

/** The heights of rows: `h-9.25`, and `h-14` for two lines. */
const ROW = 37
const TALL_ROW = 56
/** The distance from the end at which more rows are requested. */
const AHEAD = 15
const BOX = '1.25rem'
const OVERSCAN = 6

/**
 * A virtual table. `j` and `k` move focus between the row links, Enter opens, `x` selects, Shift+click selects a range. Back restores the
 * scroll position. The parent must have a height (`<View isFixed>`).
 */
export const DataTable = <Row extends { id: string }>(props: Props<Row>) => {
  const {
    label,
    rows,
    getName = ({ id }) => id,
    selection,
    sorting,
    acts,
    onMore,
    empty,
    isLoading = false,
    isTallOnPhones = false,
    hasTwoLines,
    total = rows.length,
  } = props
  const isNarrow = useNarrow()
  const columns = useMemo(
    () => (isNarrow ? props.columns.filter(({ narrow }) => narrow !== null) : props.columns),
    [props.columns, isNarrow],
  )
  const isEachTall = isTallOnPhones && isNarrow
  const tall = useMemo(
    () => rows.map((row) => isEachTall || (!isNarrow && hasTwoLines?.(row) === true)),
    [rows, hasTwoLines, isEachTall, isNarrow],
  )
  const widths = columns.map(({ width, narrow }) => (isNarrow && narrow) || width)
  const template = [...(selection ? [BOX] : []), ...widths].join(' ')
  const scroller = useRef<HTMLElement>(null)
  const place = useRemembered(`${label} scrolled`, 0)
  const anchor = useRef<string>(undefined)
  const ids = useMemo(() => rows.map(({ id }) => id), [rows])
  const toggle = useCallback(
    (id: string, isRange: boolean) => {
      selection?.onSelect(selectedFrom(isRange ? anchor.current : undefined, id, ids, selection.selected))
      anchor.current = id
    },
    [selection, ids],
  )
  const virtual = useVirtualizer({
    initialOffset: place.read,
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (tall[index] ? TALL_ROW : ROW),
    overscan: OVERSCAN,
    scrollPaddingStart: ROW,
  })
  const heights = tall.map(Number).join('')
  // biome-ignore lint/correctness/useExhaustiveDependencies: the heights are what it answers to.
  useEffect(() => virtual.measure(), [heights])
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (rows.length > 0 && last >= rows.length - AHEAD) onMore?.()
  }, [last, rows.length, onMore])
  useRowKeys({ label, ids, selection, acts, scroller, show: (at) => virtual.scrollToIndex(at) })

  if (isLoading) return <SkeletonRows count={12} />
  if (rows.length === 0) return <>{empty}</>
  return (
    <section
      ref={scroller}
      aria-label={label}
      className="min-h-0 flex-1 overflow-auto [overflow-anchor:none]"
      onScroll={({ currentTarget }) => place.write(currentTarget.scrollTop)}
    >
      <table
        aria-label={label}
        aria-rowcount={total + 1}
        className="block min-w-full text-left"
        style={{ '--columns': template } as CSSProperties}
      >
        <Head columns={columns} selection={selection} sorting={sorting} ids={ids} />
        <tbody className="block" style={{ height: virtual.getTotalSize(), paddingTop: items[0]?.start }}>
          {items.map(({ index }) => {
            const row = rows[index] as Row
            const { id } = row
            return (
              <DataRow
                key={id}
                columns={columns}
                row={row}
                id={id}
                index={index}
                name={getName(row)}
                isSelected={selection?.selected.has(id)}
                isTall={tall[index] === true}
                onToggle={toggle}
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
  selection: Selection | undefined
  sorting: Sorting | undefined
  ids: readonly string[]
}

const Head = <Row,>({ columns, selection, sorting, ids }: HeadProps<Row>) => {
  const isAll = selection !== undefined && ids.every((id) => selection.selected.has(id))
  const isBareOnPhones =
    !selection && columns.every(({ isHeaderHidden, narrow }) => isHeaderHidden || typeof narrow === 'string')
  return (
    <thead
      className={`z-10 block bg-background ${isBareOnPhones ? 'max-md:sr-only md:sticky md:top-0' : 'sticky top-0'}`}
    >
      <tr aria-rowindex={1} className={`${rowClass} h-8`}>
        {selection && (
          <th className="flex">
            <Checkbox
              label="Select all loaded"
              isChecked={isAll}
              onChange={() => selection.onSelect(new Set(isAll ? [] : ids))}
            />
          </th>
        )}
        {columns.map(({ id, header, isHeaderHidden, narrow, sortBy }) =>
          sorting && sortBy ? (
            <SortHead key={id} header={header} narrow={narrow} sortBy={sortBy} sorting={sorting} />
          ) : (
            <th key={id} className="truncate text-xs font-normal text-muted-foreground">
              <span className={isHeaderHidden ? 'sr-only' : narrow ? 'max-md:sr-only' : ''}>{header}</span>
            </th>
          ),
        )}
      </tr>
    </thead>
  )
}

type SortProps = { header: string; narrow?: string | null | undefined; sortBy: string; sorting: Sorting }

const SortHead = ({ header, narrow, sortBy, sorting: { by, order, onSort } }: SortProps) => {
  const isSorted = by === sortBy
  const Arrow = order === 'asc' ? ArrowUp : ArrowDown
  return (
    <th
      aria-sort={isSorted ? (order === 'asc' ? 'ascending' : 'descending') : 'none'}
      className="min-w-0 text-xs font-normal text-muted-foreground"
    >
      <button
        type="button"
        className={`flex max-w-full items-center gap-1 hover:text-foreground ${isSorted ? 'text-foreground' : ''} ${narrow ? 'max-md:hidden' : ''}`}
        onClick={() => onSort(sortBy)}
      >
        <span className="truncate">{header}</span>
        {isSorted && <Arrow size={12} className="shrink-0" aria-hidden />}
      </button>
      {narrow && <span className="sr-only md:hidden">{header}</span>}
    </th>
  )
}

/** A list as `useLivePages` returns it. */
type Pages<Row> = {
  rows: readonly Row[]
  total: number | undefined
  isPending: boolean
  error: unknown
  refetch: () => unknown
  onMore: (() => void) | undefined
}

type PagedProps<Row> = Omit<Props<Row>, 'rows' | 'total' | 'isLoading' | 'onMore'> & { pages: Pages<Row> }

/** A table of a list that is loaded page by page. A failed first page shows its error in place of the table. */
export const PagedTable = <Row extends { id: string }>({ pages, ...props }: PagedProps<Row>) => {
  const { rows, total = rows.length, isPending, error, refetch, onMore } = pages
  if (error && rows.length === 0) return <Problem error={error} onRetry={() => void refetch()} />
  return <DataTable {...props} rows={rows} total={total} isLoading={isPending} onMore={onMore} />
}
