/** The page `/docs/group/page`. */
export type DocsPlace = { group: string; page: string }

const orders = import.meta.glob<string[]>('../../../../README.md', {
  query: '?order',
  import: 'order',
  eager: true,
})
const order: readonly string[] = ['guide/quickstart', ...Object.values(orders).flat()]

/** The place of a file of `docs/`. README.md has the quickstart. */
export const docsPlace = (file: string): DocsPlace => {
  const [, group, page] = /\/docs\/([\w-]+)\/([\w-]+)\.md$/.exec(file) ?? []
  return group === undefined || page === undefined ? { group: 'guide', page: 'quickstart' } : { group, page }
}

const rank = ({ group, page }: DocsPlace): number => {
  const at = order.indexOf(`${group}/${page}`)
  return at === -1 ? order.length : at
}

/** In the order of the contents of README.md, the quickstart first. */
export const byDocsOrder = (one: DocsPlace, other: DocsPlace): number => rank(one) - rank(other)
