import type { fromMarkdown } from 'mdast-util-from-markdown'

/** A page of `docs/` as a syntax tree without positions. The build creates it. */
export type GuideNode = {
  type: ReturnType<typeof fromMarkdown>['children'][number]['type']
  value?: string
  depth?: number
  ordered?: boolean | null
  url?: string
  lang?: string | null
  /** Ids of a heading or a table row. */
  anchors?: string[]
  children?: GuideNode[]
}
