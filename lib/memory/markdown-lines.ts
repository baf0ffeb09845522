import { cutText } from '../core/cut-text.ts'
/** `end` is the line after the heading. */
export type Heading = { level: number; title: string; end: number }

/** The lines of front matter, the headings by their line from 0, and the lines at which the document may be cut. */
type Structure = { front: number; headings: ReadonlyMap<number, Heading>; isGap: readonly boolean[] }

const ATX = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/
const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/
const LIST_ITEM = /^ {0,3}(?:[-+*]|\d{1,9}[.)])(?:[ \t]|$)/
const QUOTE = /^ {0,3}>/
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/
const INDENTED = /^[ \t]/
const CODE = /^(?: {4}| {0,3}\t)/
const BLOCK_TAGS =
  'address|article|aside|blockquote|body|center|dd|details|dialog|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|nav|ol|option|p|section|summary|table|tbody|td|tfoot|th|thead|title|tr|ul'
/** The beginning of an HTML block, and the text of its last line. */
const HTML: readonly (readonly [opens: RegExp, ends: RegExp])[] = [
  [/^ {0,3}<!--/, /-->/],
  [/^ {0,3}<(?:pre|script|style|textarea)(?:[\s>]|$)/i, /<\/(?:pre|script|style|textarea)>/i],
  [new RegExp(`^ {0,3}</?(?:${BLOCK_TAGS})(?:[\\s>]|/>|$)`, 'i'), /^\s*$/],
]
const LONGEST_FRONT_MATTER = 200
const LONGEST_TITLE = 200

type State = {
  at: number
  headings: Map<number, Heading>
  isGap: boolean[]
  until: ((line: string) => boolean) | undefined
  inList: boolean
  /** The next text line may continue a list item or a quotation. */
  lazy: boolean
  from: number | undefined
}

/**
 * The structure of a document by CommonMark 0.31: headings at the top level (`#` and underlined), and blank lines outside
 * of fences. The time is linear in the length for any text: a parser of the whole grammar takes seconds for 16 kB of `1.
 * 1. 1. `, and blocks all requests meanwhile.
 */
export const parseStructure = (lines: readonly string[]): Structure => {
  const front = frontMatter(lines)
  const state: State = {
    at: front,
    headings: new Map(),
    isGap: Array(front).fill(false),
    until: undefined,
    inList: false,
    lazy: false,
    from: undefined,
  }
  for (; state.at < lines.length; state.at += 1) take(state, lines[state.at] ?? '', lines)
  return { ...state, front }
}

const frontMatter = (lines: readonly string[]): number => {
  if (lines[0]?.trimEnd() !== '---') return 0
  const end = lines.slice(1, LONGEST_FRONT_MATTER).findIndex((line) => /^(?:---|\.\.\.)[ \t]*$/.test(line))
  return end < 0 ? 0 : end + 2
}

const take = (state: State, text: string, lines: readonly string[]): void => {
  state.isGap.push(state.until === undefined && text.trim() === '')
  if (state.until) {
    if (state.until(text)) state.until = undefined
  } else if (text.trim() === '') Object.assign(state, { lazy: false, from: undefined })
  // A line indented below a list item belongs to the item.
  else if (state.inList && INDENTED.test(text)) state.from = undefined
  else takeBlock(state, text, lines)
}

const takeBlock = (state: State, text: string, lines: readonly string[]): void => {
  const begun = headingAt(state, text, lines) ?? blockAt(text)
  if (begun) Object.assign(state, { inList: false, lazy: false, from: undefined }, begun)
  else if (!state.lazy && (state.from !== undefined || !CODE.test(text))) {
    state.from ??= state.at
    state.inList = false
  }
}

const headingAt = (
  { at, from, headings }: State,
  text: string,
  lines: readonly string[],
): Partial<State> | undefined => {
  const [, marks, words = ''] = ATX.exec(text) ?? []
  if (marks !== undefined) headings.set(at, { level: marks.length, title: headingTitle(words), end: at + 1 })
  else if (from !== undefined && UNDERLINE.test(text)) {
    const level = text.includes('=') ? 1 : 2
    headings.set(from, { level, title: headingTitle(lines.slice(from, at).join(' ')), end: at + 1 })
  } else return undefined
  return {}
}

/** The block that begins with this line, unless it is a paragraph. */
const blockAt = (text: string): Partial<State> | undefined => {
  const fence = endOfFence(text)
  if (fence) return { until: fence }
  const html = endOfHtml(text)
  if (html) return { until: html.ends }
  if (RULE.test(text)) return {}
  if (LIST_ITEM.test(text)) return { inList: true, lazy: true }
  return QUOTE.test(text) ? { lazy: true } : undefined
}

const endOfFence = (text: string) => {
  const [, marks = '', info = ''] = FENCE.exec(text) ?? []
  if (marks === '' || (marks.startsWith('`') && info.includes('`'))) return undefined
  return (line: string) => {
    const closing = FENCE.exec(line)
    return closing?.[1]?.startsWith(marks) === true && closing[2]?.trim() === ''
  }
}

/** `ends` is absent for HTML that ends on its first line. */
const endOfHtml = (text: string): { ends: State['until'] } | undefined => {
  const [, ends] = HTML.find(([opens]) => opens.test(text)) ?? []
  return ends && { ends: ends.test(text) ? undefined : (line: string) => ends.test(line) }
}

/** The text of a heading, without its closing marks and the marks around words. */
const headingTitle = (text: string): string =>
  cutText(text, LONGEST_TITLE)
    .trim()
    .replace(/(?:^|[ \t])#+$/, '')
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/[*`]+|(?<!\w)_+|_+(?!\w)/g, '')
    .trim()
