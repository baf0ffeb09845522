/** Host and path: `hooks.example.com/agents`. */
export const shortUrl = (url: string): string => {
  if (!URL.canParse(url)) return url
  const { host, pathname, search } = new URL(url)
  return `${host}${pathname === '/' ? '' : pathname}${search}`
}
