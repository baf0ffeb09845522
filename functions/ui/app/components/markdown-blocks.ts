import type { fromMarkdown } from 'mdast-util-from-markdown'

export type MarkdownNode = ReturnType<typeof fromMarkdown>['children'][number]
/** `written` is source text, for blocks that are too expensive to render. */
export type Block = MarkdownNode | { type: 'written'; value: string }

/** Blocks that are rendered in one step. Groups with equal source and definitions render equally. */
export type Group = {
  readonly blocks: readonly Block[]
  readonly source: string
  readonly definitions: string
  /** Estimated cost, in elements. */
  readonly weight: number
}

/** Parsed groups of a text; the next part begins at `end`. */
export type Part = { readonly groups: readonly Group[]; readonly end: number }
