/** Addresses that views had before. `/` with a window of time was that of the figures. */
const moved: readonly (readonly [from: RegExp, to: string])[] = [[/^\/$/, '/tasks/overview']]

/** The path that an old address leads to; undefined for one that is current. */
export const newPath = (path: string): string | undefined => {
  const [from, to] = moved.find(([pattern]) => pattern.test(path)) ?? []
  return from && to && path.replace(from, to)
}
