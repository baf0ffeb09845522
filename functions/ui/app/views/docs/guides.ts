import { byDocsOrder, docsPlace } from '../../data/docs-place.ts'
import type { GuideNode } from '../../data/guide-node.ts'

// Built from docs/: titles and error codes are bundled with the view, pages load on demand.
const titles = import.meta.glob<string>(['../../../../../docs/*/*.md', '../../../../../README.md'], {
  query: '?title',
  import: 'title',
  eager: true,
})
const codeLists = import.meta.glob<string[]>('../../../../../docs/reference/errors.md', {
  query: '?codes',
  import: 'codes',
  eager: true,
})
const pages = import.meta.glob<GuideNode[]>(['../../../../../docs/*/*.md', '../../../../../README.md'], {
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

export const guides: readonly Guide[] = Object.entries(titles)
  .flatMap(([file, title]): Guide[] => {
    const { group, page } = docsPlace(file)
    const load = pages[file]
    return load && Object.hasOwn(groups, group) ? [{ group: group as Group, page, title, load }] : []
  })
  .sort(byDocsOrder)

export const guideAt = (group: string, page: string): Guide | undefined =>
  guides.find((guide) => guide.group === group && guide.page === page)

const codes = new Set(Object.values(codeLists).flat())

export const isErrorCode = (word: string): boolean => codes.has(word)
