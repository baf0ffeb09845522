import { isTyping } from './keys.ts'

/** How long keys are held for a field that does not come. */
const MOST_MS = 5_000

const field = () => document.querySelector<HTMLInputElement>('[data-search]')

/**
 * Puts the focus into the search field: that of this view, or the one that `leave` leads to. The next key is meant for
 * it already, so what is typed on the way is held and put in.
 */
export const toSearch = (leave: () => void) => {
  const here = field()
  if (here) return here.focus()
  holdKeys()
  // A bar that stands in the place of the field, since rows are selected.
  const bar = document.querySelector<HTMLElement>('[data-frees-search]')
  if (bar) bar.click()
  else if (location.pathname !== '/tasks') leave()
}

/** Holds what is typed until the field is there; Escape and a click elsewhere give it up. */
const holdKeys = () => {
  const leaving = new AbortController()
  const stop = () => {
    leaving.abort()
    observer.disconnect()
    clearTimeout(limit)
  }
  let typed = ''
  const hold = (event: KeyboardEvent) => {
    if (event.key === 'Escape' || isTyping(event)) return stop()
    if (event.metaKey || event.ctrlKey || event.altKey) return
    if (event.key.length !== 1 && event.key !== 'Backspace') return
    typed = event.key === 'Backspace' ? typed.slice(0, -1) : typed + event.key
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  const observer = new MutationObserver(() => {
    const found = field()
    if (!found) return
    stop()
    found.focus()
    put(typed, found)
  })
  const limit = setTimeout(stop, MOST_MS)
  addEventListener('keydown', hold, { capture: true, signal: leaving.signal })
  addEventListener('pointerdown', stop, { capture: true, signal: leaving.signal })
  observer.observe(document.body, { childList: true, subtree: true })
}

/** As if it were typed at the end. */
const put = (text: string, into: HTMLInputElement) => {
  if (text === '') return
  into.setRangeText(text, into.value.length, into.value.length, 'end')
  into.dispatchEvent(new Event('input', { bubbles: true }))
}
