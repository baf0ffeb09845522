import { cutText, shortenedText } from './cut-text.ts'
import { oneLine } from './shown-text.ts'

/** How far into a text its first block is looked for, and how much of that is read. */
const MOST_READ = 4_000
const MOST_OF_BLOCK = 1_000
/** A shorter sentence says nothing alone, as `Done.`: the next one belongs to it. */
const SHORT = 20

const FENCE = /^\s*(?:`{3}|~{3})/
const HEADING = /^\s{0,3}#{1,6}\s+(.*?)\s*#*\s*$/
/** Rules, tables and comments. */
const SKIPPED = /^\s*(?:(?:[-*_]\s*){3,}$|\||<!--)/
const ITEM = /^\s*(?:[-*+]|\d{1,3}[.)])\s/
const MARKS = /^\s*(?:>\s*)*(?:(?:[-*+]|\d{1,3}[.)])\s+)?(?:\[[ xX]\]\s+)?/

/** The first paragraph or list item in a line; without one the first heading. Code is left out. */
const firstBlock = (markdown: string): string | undefined => {
  const block: string[] = []
  let heading: string | undefined
  let isCode = false
  for (const line of cutText(markdown, MOST_READ).split(/\r\n?|\n/)) {
    const title = HEADING.exec(line)?.[1]
    const isFence = FENCE.test(line)
    const isText = !isFence && title === undefined && line.trim() !== '' && !SKIPPED.test(line)
    if (block.length > 0 && (!isText || ITEM.test(line))) break
    if (isFence) isCode = !isCode
    else if (!isCode && isText) block.push(line.replace(MARKS, ''))
    else if (!isCode) heading ??= title
  }
  return block.length > 0 ? block.join(' ') : heading
}

const withoutMarks = (text: string): string =>
  text
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/(\*\*|~~)(?=\S)([^*~]+)\1/g, '$2')
    .replace(/(?<![\w*])\*(?=\S)([^*`]+)(?<=\S)\*(?![\w*])/g, '$1')
    .replaceAll('`', '')

const END = /[.!?…](?=["'”’)\]]*\s+["'“‘(]?[\p{Lu}\p{N}])|[。！？]/gu

/** The first sentence of a Markdown text as plain text in one line, of at most `most` characters; undefined without any. */
export const firstSentence = (markdown: string, most: number): string | undefined => {
  const text = oneLine(withoutMarks(cutText(firstBlock(markdown) ?? '', MOST_OF_BLOCK)), MOST_OF_BLOCK)
  if (text === undefined) return undefined
  const line = text.replaceAll(/\s+/g, ' ')
  const end = [...line.matchAll(END)].find(({ index }) => index >= SHORT)
  return shortenedText(end === undefined ? line : line.slice(0, end.index + 1), most)
}
