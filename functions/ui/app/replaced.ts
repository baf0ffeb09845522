const NAME = 'reloaded-at'
const PAUSE_MS = 10_000

/**
 * A deployment replaces the files of a page that is open: a view of it that was not loaded yet is not there any more, and
 * loading the page anew brings the new one. Once in a while only, for where that is not why.
 */
export const reloadWhenReplaced = () =>
  addEventListener('vite:preloadError', (event) => {
    const last = Number(sessionStorage.getItem(NAME) ?? 0)
    if (Date.now() - last < PAUSE_MS) return
    event.preventDefault()
    sessionStorage.setItem(NAME, String(Date.now()))
    location.reload()
  })
