import { type RefObject, useRef } from 'react'
import { useKeys } from '../shell/keys.ts'
import { type Selection, toggled } from './data-row.tsx'
import { useRemembered } from './remembered.ts'

type Needs = {
  label?: string
  /** Of all rows, in their order. */
  ids: readonly string[]
  selection: Selection | undefined
  onPeek?: ((id: string) => void) | undefined
  scroller: RefObject<HTMLElement | null>
  show: (index: number) => void
}

/** So long a row that was scrolled to may take to be drawn. */
const MOST_FRAMES = 10

/** `j` and `k` move the focus from row to row, `x` selects, Space peeks, Escape selects none. Where it was last, it comes back to. */
export const useRowKeys = ({ label = '', ids, selection, onPeek, scroller, show }: Needs) => {
  const last = useRemembered(`${label} row`, 0)
  /** The row that gets the focus once it is drawn: keys that come before that are meant for it. */
  const coming = useRef<number>(undefined)
  /** The row that has the focus, or is about to. */
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
    // One that is far away has to be scrolled to before it exists.
    if (!focus(at)) focusSoon(at)
  }
  const step = (by: number) => {
    const at = current()
    moveTo(at === undefined ? last.read() : at + by)
  }
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    x: () => {
      const id = ids[current() ?? -1]
      if (id === undefined) step(0)
      else selection?.onSelect(toggled(selection.selected, id))
    },
    ...(onPeek && {
      ' ': () => {
        const id = ids[current() ?? -1]
        if (id === undefined) step(0)
        else onPeek(id)
      },
    }),
    Escape: () => selection?.onSelect(new Set()),
  })
}
