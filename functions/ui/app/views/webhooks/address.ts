/** Host and path: `hooks.example.com/agents`. */
export const shortUrl = (url: string): string => {
  if (!URL.canParse(url)) return url
  const { host, pathname, search } = new URL(url)
  return `${host}${pathname === '/' ? '' : pathname}${search}`
}

/** What tells the webhooks of one host apart. */
export const pathOf = (url: string): string => {
  const { pathname, search, host } = new URL(url)
  return pathname === '/' ? host : pathname + search
}
