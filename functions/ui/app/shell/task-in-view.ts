const idIn = (path: string | undefined) => /^\/tasks\/([^/]+)$/.exec(path ?? '')?.[1]

/** Pages beside the list have such a path too, and their names are no ids. */
const NAMES: ReadonlySet<string> = new Set(['overview', 'queue', 'failures', 'bulk'])

/** The id of the task that is open, or whose row has the focus. */
export const taskInView = (): string | undefined => {
  const focused = document.activeElement
  const row = focused instanceof HTMLAnchorElement ? focused.pathname : undefined
  const id = idIn(location.pathname) ?? idIn(row)
  return id === undefined || NAMES.has(id) ? undefined : decodeURIComponent(id)
}
