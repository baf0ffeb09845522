const KEY = 'linking'
/** So long a provider may be on its way back, as for the service. */
const MOST_MS = 10 * 60_000

/** Browsers that store nothing throw: one comes back to the first view there. */
const ifStored = <T>(act: () => T): T | undefined => {
  try {
    return act()
  } catch {
    return undefined
  }
}

/** Remembers for this tab which view it leaves to link an account: the provider sends it back to the first view. */
export const leaveToLink = () => {
  ifStored(() => sessionStorage.setItem(KEY, `${Date.now()} ${location.pathname}`))
}

/** The view that was left to link an account, once, when the provider has just sent the tab back. */
export const linkedFrom = (): string | undefined => {
  const stored = ifStored(() => sessionStorage.getItem(KEY))
  ifStored(() => sessionStorage.removeItem(KEY))
  if (!stored || location.pathname !== '/') return undefined
  const [at, path] = stored.split(' ', 2)
  return Date.now() - Number(at) < MOST_MS ? path : undefined
}
