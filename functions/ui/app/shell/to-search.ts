import { isTyping } from './keys.ts'

const MOST_MS = 5_000

const field = () => document.querySelector<HTMLInputElement>('[data-search]')

/** Focuses the search field of this view, or of the view that `leave` opens. Keys typed meanwhile are buffered for it. */
export const toSearch = (leave: () => void) => {
  const here = field()
  if (here) return here.focus()
  holdKeys()
  // A selection bar replaces the field.
  const bar = document.querySelector<HTMLElement>('[data-frees-search]')
  if (bar) bar.click()
  else if (location.pathname !== '/tasks') leave()
}

/** Escape and a click elsewhere drop the buffer. */
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

const put = (text: string, into: HTMLInputElement) => {
  if (text === '') return
  into.setRangeText(text, into.value.length, into.value.length, 'end')
  into.dispatchEvent(new Event('input', { bubbles: true }))
}
