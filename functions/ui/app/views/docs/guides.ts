import type { GuideNode } from '../../data/guide-node.ts'

// Built from docs/: titles and error codes are bundled with the view, pages load on demand.
const titles = import.meta.glob<string>('../../../../../docs/*/*.md', {
  query: '?title',
  import: 'title',
  eager: true,
})
const codeLists = import.meta.glob<string[]>('../../../../../docs/reference/errors.md', {
  query: '?codes',
  import: 'codes',
  eager: true,
})
const pages = import.meta.glob<GuideNode[]>('../../../../../docs/*/*.md', {
  query: '?guide',
  import: 'guide',
})

export const groups = {
  guide: 'Guides',
  operate: 'Operations',
  reference: 'Reference',
  explain: 'Background',
} as const
type Group = keyof typeof groups

export type Guide = { group: Group; page: string; title: string; load: () => Promise<GuideNode[]> }

const groupAndPage = (file: string) => /\/docs\/([\w-]+)\/([\w-]+)\.md$/.exec(file)?.slice(1) ?? []

export const guides: readonly Guide[] = Object.entries(titles)
  .flatMap(([file, title]): Guide[] => {
    const [group = '', page = ''] = groupAndPage(file)
    const load = pages[file]
    return load && Object.hasOwn(groups, group) ? [{ group: group as Group, page, title, load }] : []
  })
  .sort((a, b) => a.title.localeCompare(b.title))

export const guideAt = (group: string, page: string): Guide | undefined =>
  guides.find((guide) => guide.group === group && guide.page === page)

const codes = new Set(Object.values(codeLists).flat())

export const isErrorCode = (word: string): boolean => codes.has(word)
