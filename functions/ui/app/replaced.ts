const NAME = 'reloaded-at'
const PAUSE_MS = 10_000

/** What was thrown because the files of a view, or of a part of one, did not come. */
const missing = new WeakSet<object>()

/**
 * Takes note of files that did not come, and no more: most are asked for while a pointer is over a link, which nobody has
 * followed. The router reloads the page by itself for the browsers' own words of it, connected or not: it gets others.
 */
export const watchFiles = () =>
  addEventListener('vite:preloadError', (event) => {
    const { payload } = event as Event & { payload: Error }
    payload.message = 'The files of this view did not come'
    missing.add(payload)
  })

/**
 * A deployment replaces the files of a page that is open: a view of it that was not loaded yet is not there any more, and
 * loading the page anew brings the new one. Once in a while only, for where that is not why; and only from a service that
 * answers, or the browser would have nothing to show at all.
 */
export const reloadWhenReplaced = async (error: unknown) => {
  if (typeof error !== 'object' || error === null || !missing.has(error)) return
  const { ok } = await fetch('/api/health', { cache: 'no-store' }).catch(() => ({ ok: false }))
  if (ok && mayReload()) location.reload()
}

const mayReload = () => {
  try {
    const last = Number(sessionStorage.getItem(NAME) ?? 0)
    if (Date.now() - last < PAUSE_MS) return false
    sessionStorage.setItem(NAME, String(Date.now()))
    return true
  } catch {
    // Storage is switched off: nothing would keep it from reloading for ever.
    return false
  }
}
