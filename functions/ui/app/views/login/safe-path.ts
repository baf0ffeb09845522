const HOME = '/'
/** Leading back to these would lead nowhere. */
const ENTRANCES = ['/login', '/signup']

/**
 * Where to go after signing in. A link to the sign-in may have any text in `?from=` (open redirect), so only
 * paths of this origin are taken, as the browser itself reads them: `//evil.example`, `/\evil.example` and those with a
 * tab or a line break in between are addresses elsewhere, and `/.//evil.example` becomes one.
 */
export const safePath = (from: string | undefined, origin: string): string => {
  if (!from?.startsWith('/') || !URL.canParse(from, origin)) return HOME
  const url = new URL(from, origin)
  const isOurs = url.origin === origin && !url.pathname.startsWith('//')
  return isOurs && !ENTRANCES.includes(url.pathname) ? `${url.pathname}${url.search}${url.hash}` : HOME
}
