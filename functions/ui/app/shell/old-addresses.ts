/** Addresses that views had before, with the pages below them. */
const moved: readonly (readonly [from: RegExp, to: string])[] = [
  [/^\/(?=(?:queue|failures|bulk)(?:\/|$))/, '/tasks/'],
  [/^\/(?=(?:webhooks|devices|security|audit|health)(?:\/|$))/, '/settings/'],
]

/** The path that an old address leads to; undefined for one that is current. */
export const newPath = (path: string, search: object = {}): string | undefined => {
  // With a window of time this was the address of the figures.
  if (path === '/' && 'window' in search) return '/tasks/overview'
  const [from, to] = moved.find(([pattern]) => pattern.test(path)) ?? []
  return from && to && path.replace(from, to)
}
