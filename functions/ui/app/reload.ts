const NAME = 'reloaded-at'
const PAUSE_MS = 10_000

/** Loads the page anew, once in a while only: where that does not help it would do nothing else. */
export const reloadOnce = () => {
  if (mayReload()) location.reload()
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
