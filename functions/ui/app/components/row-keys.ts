import { type RefObject, useRef } from 'react'
import type { KeyName } from '../shell/key-table.ts'
import { useKeys } from '../shell/keys.ts'
import { type Selection, toggled } from './data-row.tsx'
import { useRemembered } from './remembered.ts'

/** What keys do with the focused row. */
export type RowActs = Readonly<Partial<Record<KeyName, (id: string) => void>>>

type Needs = {
  label?: string
  ids: readonly string[]
  selection: Selection | undefined
  acts?: RowActs | undefined
  scroller: RefObject<HTMLElement | null>
  show: (index: number) => void
}

const MOST_FRAMES = 10

/** `j` and `k` move focus, `x` selects, Escape clears the selection. Back restores the focused row. */
export const useRowKeys = ({ label = '', ids, selection, acts = {}, scroller, show }: Needs) => {
  const last = useRemembered(`${label} row`, 0)
  /** The row that gets focus once rendered. Keys pressed before that apply to it. */
  const coming = useRef<number>(undefined)
  const current = () => {
    if (coming.current !== undefined) return coming.current
    const row = document.activeElement?.closest('[data-index]')
    return row && scroller.current?.contains(row) ? Number(row.getAttribute('data-index')) : undefined
  }
  const focus = (at: number): boolean => {
    const link = scroller.current?.querySelector<HTMLElement>(`[data-index="${at}"] [data-row-link]`)
    link?.focus()
    return link !== undefined && link !== null
  }
  const focusSoon = (at: number, frames = MOST_FRAMES) => {
    coming.current = at
    requestAnimationFrame(() => {
      if (coming.current !== at) return
      coming.current = undefined
      if (!focus(at) && frames > 1) focusSoon(at, frames - 1)
    })
  }
  const moveTo = (index: number) => {
    if (ids.length === 0) return
    const at = Math.min(ids.length - 1, Math.max(0, index))
    last.write(at)
    coming.current = undefined
    show(at)
    // A distant row exists only after scrolling.
    if (!focus(at)) focusSoon(at)
  }
  const step = (by: number) => {
    const at = current()
    moveTo(at === undefined ? last.read() : at + by)
  }
  /** Without a focused row, the first press focuses one. */
  const withRow = (act: (id: string) => void) => () => {
    const id = ids[current() ?? -1]
    if (id === undefined) step(0)
    else act(id)
  }
  useKeys({
    next: () => step(1),
    previous: () => step(-1),
    ...(selection && {
      select: withRow((id) => selection.onSelect(toggled(selection.selected, id))),
      close: () => selection.onSelect(new Set()),
    }),
    ...Object.fromEntries(Object.entries(acts).map(([name, act]) => [name, withRow(act)])),
  })
}
