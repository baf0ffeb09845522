import { plainText } from '../core/document-text.ts'

type Markup = 'markdown' | 'wiki'

type Node = Readonly<Record<string, unknown>>
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null

/**
 * The text after `/ai ` at the beginning of a comment; undefined without the command. Words of others make no command:
 * what is quoted, code, or hidden does not begin one, and an order needs words of its author beside them.
 */
export const orderIn = (comment: string | undefined, markup: Markup): string | undefined => {
  const order = /^\/ai\s+(\S[\s\S]*)$/.exec(comment ?? '')?.[1]?.trimEnd()
  return order !== undefined && /\S/.test(ownWords[markup](order)) ? order : undefined
}

/** As `orderIn`, for the comment of a tracker: a text in wiki markup, or a document. */
export const orderInDocument = (comment: unknown): string | undefined => {
  if (typeof comment === 'string') return orderIn(comment, 'wiki')
  return isNode(comment) && beginsWithCommand(comment) ? orderIn(plainText(comment), 'markdown') : undefined
}

/** Whether the first block with text is a paragraph outside of quotes and lists, and begins with the command. */
const beginsWithCommand = ({ type, content }: Node): boolean => {
  const blocks = type === 'doc' && Array.isArray(content) ? content : []
  const first: unknown = blocks.find((block) => plainText(block))
  if (!isNode(first) || first.type !== 'paragraph' || !Array.isArray(first.content)) return false
  return /^\s*\/ai(?:\s|$)/.test(leadingText(first.content))
}

/** The plain text before the first inline node of another kind, and before code. */
const leadingText = (content: readonly unknown[]): string => {
  let text = ''
  for (const node of content) {
    if (!isNode(node)) continue
    if (node.type === 'hardBreak') text += '\n'
    else if (node.type === 'text' && typeof node.text === 'string' && !isCode(node)) text += node.text
    else break
  }
  return text
}

const isCode = ({ marks }: Node): boolean =>
  Array.isArray(marks) && marks.some((mark) => isNode(mark) && mark.type === 'code')

/** The lines outside of blocks; a line for which `fenceOf` gives a name begins a block, and the same name ends it. */
const outsideBlocks = (
  text: string,
  fenceOf: (line: string, open: string | undefined) => string | undefined,
) => {
  let open: string | undefined
  return text.split('\n').filter((line) => {
    const fence = fenceOf(line, open)
    if (fence === undefined) return open === undefined
    open = open === undefined ? fence : undefined
    return false
  })
}

/** CommonMark: a fence of three or more backticks or tildes is closed by one that is at least as long. */
const markdownFence = (line: string, open: string | undefined): string | undefined => {
  const fence = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
  return fence !== undefined && (open === undefined || fence.startsWith(open)) ? fence : undefined
}

const WIKI_BLOCK = /\{(quote|code|noformat)(?:[:|][^{}\n]*)?\}/g

/** The words of the author: without quotes, code, and what is not shown. */
const ownWords: Readonly<Record<Markup, (order: string) => string>> = {
  markdown: (order) =>
    outsideBlocks(withoutHidden(order), markdownFence)
      .filter((line) => !/^ {0,3}>/.test(line))
      .join('\n'),
  wiki: (order) => {
    let open: string | undefined
    let from = 0
    let own = ''
    for (const { 0: tag, 1: name, index } of order.matchAll(WIKI_BLOCK)) {
      if (open !== undefined && open !== name) continue
      if (open === undefined) own += order.slice(from, index)
      open = open === undefined ? name : undefined
      from = index + tag.length
    }
    const rest = open === undefined ? own + order.slice(from) : own
    return rest
      .split('\n')
      .filter((line) => !/^\s*bq\./.test(line))
      .join('\n')
  },
}

/** A comment of HTML that is not closed hides the rest. */
const withoutHidden = (text: string): string =>
  text
    .split('<!--')
    .map((part, at) => (at === 0 ? part : part.split('-->').slice(1).join('-->')))
    .join('')
