const HOME = '/'
/** Returning to these would loop. */
const ENTRANCES = ['/login', '/signup']

/**
 * The path to open after sign-in. `?from=` is untrusted (open redirect), so only paths of this origin are accepted, as the browser parses
 * them: `//evil.example`, `/\evil.example` and variants with tabs or line breaks are other origins, and `/.//evil.example` becomes one.
 */
export const safePath = (from: string | undefined, origin: string): string => {
  if (!from?.startsWith('/') || !URL.canParse(from, origin)) return HOME
  const url = new URL(from, origin)
  const isOurs = url.origin === origin && !url.pathname.startsWith('//')
  return isOurs && !ENTRANCES.includes(url.pathname) ? `${url.pathname}${url.search}${url.hash}` : HOME
}
