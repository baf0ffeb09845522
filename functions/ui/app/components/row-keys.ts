import { type RefObject, useRef } from 'react'
import { useKeys } from '../shell/keys.ts'
import { type Selection, toggled } from './data-row.tsx'
import { useRemembered } from './remembered.ts'

type Needs = {
  label?: string
  ids: readonly string[]
  selection: Selection | undefined
  onPeek?: ((id: string) => void) | undefined
  scroller: RefObject<HTMLElement | null>
  show: (index: number) => void
}

const MOST_FRAMES = 10

/** `j` and `k` move focus, `x` selects, Space peeks, Escape clears the selection. Back restores the focused row. */
export const useRowKeys = ({ label = '', ids, selection, onPeek, scroller, show }: Needs) => {
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
