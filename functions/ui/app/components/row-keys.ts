import { type RefObject, useRef } from 'react'
import { useKeys } from '../shell/keys.ts'
import { type Selection, toggled } from './data-row.tsx'

type Needs = {
  /** Of all rows, in their order. */
  ids: readonly string[]
  selection: Selection | undefined
  scroller: RefObject<HTMLElement | null>
  show: (index: number) => void
}

/** `j` and `k` move the focus from row to row, `x` selects, Escape selects none. Where it was last, it comes back to. */
export const useRowKeys = ({ ids, selection, scroller, show }: Needs) => {
  const last = useRef(0)
  /** The row that has the focus. */
  const current = () => {
    const row = document.activeElement?.closest('[data-index]')
    return row && scroller.current?.contains(row) ? Number(row.getAttribute('data-index')) : undefined
  }
  const moveTo = (index: number) => {
    if (ids.length === 0) return
    const at = Math.min(ids.length - 1, Math.max(0, index))
    last.current = at
    show(at)
    // It may have to be scrolled to before it exists.
    requestAnimationFrame(() =>
      scroller.current?.querySelector<HTMLElement>(`[data-index="${at}"] [data-row-link]`)?.focus(),
    )
  }
  const step = (by: number) => {
    const at = current()
    moveTo(at === undefined ? last.current : at + by)
  }
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    x: () => {
      const id = ids[current() ?? -1]
      if (id === undefined) step(0)
      else selection?.onSelect(toggled(selection.selected, id))
    },
    Escape: () => selection?.onSelect(new Set()),
  })
}
