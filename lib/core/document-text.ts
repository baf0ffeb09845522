// Atlassian Document Format: developer.atlassian.com/cloud/jira/platform/apis/document/structure. The JSON that holds a
// document has at most 64 levels.

type Node = Readonly<Record<string, unknown>>

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null

const BREAK = '\n'
/** Nodes that begin on a new line, and the text that follows each. */
const blocks: Readonly<Record<string, string>> = {
  paragraph: '\n\n',
  heading: '\n\n',
  codeBlock: '\n\n',
  blockquote: BREAK,
  panel: BREAK,
  expand: BREAK,
  nestedExpand: BREAK,
  listItem: BREAK,
  taskItem: BREAK,
  decisionItem: BREAK,
  tableRow: BREAK,
  bulletList: BREAK,
  orderedList: BREAK,
  taskList: BREAK,
  decisionList: BREAK,
  table: BREAK,
  caption: BREAK,
}

/** The text of each node without content. */
const leaves: Readonly<Record<string, (attrs: Node) => unknown>> = {
  hardBreak: () => BREAK,
  rule: () => '---\n\n',
  mention: ({ text }) => text,
  emoji: ({ text, shortName }) => text ?? shortName,
  status: ({ text }) => text,
  inlineCard: ({ url }) => url,
  blockCard: ({ url }) => url,
  embedCard: ({ url }) => url,
  media: ({ alt }) => alt,
  date: ({ timestamp }) => utcDay(Number(timestamp)),
}

const LATEST_MS = 8.64e15

const utcDay = (ms: number): string =>
  Math.abs(ms) <= LATEST_MS ? new Date(ms).toISOString().slice(0, 10) : ''

/** The plain text of a description or comment, if it is one. Quotes and code are marked as in Markdown. */
export const plainText = (value: unknown): string | undefined => {
  if (typeof value === 'string') return value
  if (!isNode(value)) return undefined
  const lines = nodeText(value).split(BREAK)
  return lines
    .map((line) => line.trimEnd())
    .join(BREAK)
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

const nodeText = (node: unknown): string => {
  if (!isNode(node)) return ''
  const { type, text, attrs, content } = node
  if (typeof text === 'string') return linked(text, node)
  const name = typeof type === 'string' ? type : ''
  if (Object.hasOwn(leaves, name)) return String(leaves[name]?.(isNode(attrs) ? attrs : {}) ?? '')
  const inner = Array.isArray(content) ? contentText(name, content) : ''
  return inner + (Object.hasOwn(blocks, name) ? blocks[name] : '')
}

/** A longer fence than any in the code, as Markdown has it. */
const fenced = (code: string): string => {
  const longest = Math.max(2, ...[...code.matchAll(/`{3,}/g)].map(([fence]) => fence.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${code}\n${fence}`
}

const contentText = (name: string, content: readonly unknown[]): string => {
  const texts = content.map(nodeText)
  if (name === 'codeBlock') return fenced(texts.join(''))
  if (name === 'blockquote')
    return `${texts
      .join('')
      .trim()
      .split(BREAK)
      .map((line) => `> ${line}`)
      .join(BREAK)}\n`
  if (name === 'bulletList') return texts.map((text) => `- ${text.trim()}\n`).join('')
  if (name === 'orderedList') return texts.map((text, at) => `${at + 1}. ${text.trim()}\n`).join('')
  if (name === 'tableRow') return texts.map((text) => text.trim()).join(' | ')
  return texts.join('')
}

/** A link shows its address beside a text that differs from it. */
const linked = (text: string, { marks }: Node): string => {
  const link = Array.isArray(marks) ? marks.find((mark) => isNode(mark) && mark.type === 'link') : undefined
  const href = isNode(link) && isNode(link.attrs) ? link.attrs.href : undefined
  return typeof href === 'string' && href !== text ? `${text} (${href})` : text
}
