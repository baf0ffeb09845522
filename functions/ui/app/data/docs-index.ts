import { fold } from '../../../../lib/core/fold.ts'
import { foundPart } from '../../../../lib/core/found-part.ts'
import { byDocsOrder, type DocsPlace, docsPlace } from './docs-place.ts'
import type { DocsSection } from './guide-node.ts'

const files = import.meta.glob<DocsSection[]>(['../../../../docs/*/*.md', '../../../../README.md'], {
  query: '?sections',
  import: 'sections',
  eager: true,
})

type Indexed = DocsPlace & DocsSection & { title: string; names: string; all: string }

const indexed: readonly Indexed[] = Object.entries(files)
  .map(([file, sections]) => ({ place: docsPlace(file), sections }))
  .sort((one, other) => byDocsOrder(one.place, other.place))
  .flatMap(({ place, sections }) => {
    const title = sections[0]?.heading ?? ''
    return sections.map((section) => {
      const names = fold(`${title} ${section.heading}`)
      return { ...place, ...section, title, names, all: `${names} ${fold(section.text)}` }
    })
  })

export type DocsHit = DocsPlace & {
  title: string
  /** Undefined at the beginning of a page. */
  heading?: string
  anchor?: string
  /** The text around the first of the words. */
  part: string
}

const toHit = (
  { group, page, title, heading, anchor, text }: Indexed,
  words: readonly string[],
): DocsHit => ({
  group,
  page,
  title,
  ...(anchor === undefined ? {} : { heading, anchor }),
  part: foundPart([['text', text]], words)?.text ?? '',
})

/** Sections that have all of the words: first those that have them in their headings, then in the order of the docs. */
export const findInDocs = (search: string, most: number): DocsHit[] => {
  const words = search.split(/\s+/).filter((word) => word !== '')
  const folded = words.map(fold)
  const found = indexed.filter(({ all }) => folded.every((word) => all.includes(word)))
  const isNamed = ({ names }: Indexed) => folded.every((word) => names.includes(word))
  return [...found.filter(isNamed), ...found.filter((one) => !isNamed(one))]
    .slice(0, most)
    .map((one) => toHit(one, words))
}
