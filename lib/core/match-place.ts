const WRITTEN: Readonly<Record<string, string>> = { id: 'ID', changedPaths: 'changed files' }

/** How people read the name of a text that a search looked through: `changedPaths` → `changed files`. */
export const matchPlace = (name: string): string =>
  (Object.hasOwn(WRITTEN, name) ? WRITTEN[name] : name) ?? name
