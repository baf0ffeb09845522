import type { fromMarkdown } from 'mdast-util-from-markdown'

export type MarkdownNode = ReturnType<typeof fromMarkdown>['children'][number]
/** A block as it is drawn: parsed, or as it was written where drawing it would stop the page. */
export type Block = MarkdownNode | { type: 'written'; value: string }

/** Blocks that are drawn together. Equal sources beside the same definitions are drawn alike. */
export type Group = {
  readonly blocks: readonly Block[]
  readonly source: string
  readonly definitions: string
  /** About how many elements of the page it costs as much as. */
  readonly weight: number
}

/** The beginning of a text in groups, each of which is drawn in one step. The next part begins at `end`. */
export type Part = { readonly groups: readonly Group[]; readonly end: number }
