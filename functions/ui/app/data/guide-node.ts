import type { fromMarkdown } from 'mdast-util-from-markdown'

/** What a page of `docs/` is made of: as the parser has it, without positions, and with tables. The build makes it. */
export type GuideNode = {
  type: ReturnType<typeof fromMarkdown>['children'][number]['type']
  value?: string
  depth?: number
  ordered?: boolean | null
  url?: string
  lang?: string | null
  /** Of a heading, and of a row of a table: what leads to it. */
  anchors?: string[]
  children?: GuideNode[]
}
