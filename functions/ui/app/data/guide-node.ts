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
  /** Of a Mermaid diagram. */
  drawing?: Drawing
  children?: GuideNode[]
}

/** An element of SVG with colours of the theme. Its attributes are those of React. */
export type Drawing = {
  name: string
  attributes: Readonly<Record<string, string>>
  children: readonly (Drawing | string)[]
}

/** What is between two headings of a page, or a row that explains a code, as text for the search. */
export type DocsSection = { heading: string; anchor?: string; text: string }
