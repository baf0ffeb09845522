const KEY = 'linking'
/** As for the service. */
const MOST_MS = 10 * 60_000

/** Without storage the user returns to the overview. */
const ifStored = <T>(act: () => T): T | undefined => {
  try {
    return act()
  } catch {
    return undefined
  }
}

/** Remembers the current view: providers redirect to the overview. */
export const leaveToLink = () => {
  ifStored(() => sessionStorage.setItem(KEY, `${Date.now()} ${location.pathname}`))
}

/** The remembered view, once, right after the redirect. */
export const linkedFrom = (): string | undefined => {
  const stored = ifStored(() => sessionStorage.getItem(KEY))
  ifStored(() => sessionStorage.removeItem(KEY))
  if (!stored || location.pathname !== '/') return undefined
  const [at, path] = stored.split(' ', 2)
  return Date.now() - Number(at) < MOST_MS ? path : undefined
}
