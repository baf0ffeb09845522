import type { Parser } from 'htmlparser2'

const SILENT = new Set(['script', 'style', 'noscript', 'template', 'svg', 'iframe', 'object', 'select'])
const BLOCKS = new Set(
  'address article aside blockquote body dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table title tr ul'.split(
    ' ',
  ),
)
/** The parser takes time by the square of the depth: pages of people do not come near it. */
const DEEPEST = 1_000
const PIECE = 16_384

/**
 * The text of an HTML page: an element that is a block begins a line, links keep their addresses, scripts and styles are
 * dropped. Reading ends where `most` characters were found, or the page is nested deeper than any that people write.
 */
export const htmlText = async (html: string, most: number): Promise<{ text: string; cut: boolean }> => {
  const { Parser } = await import('htmlparser2')
  const page = createPage(most)
  const parser: Parser = new Parser(page.handler, { decodeEntities: true })
  for (let at = 0; at < html.length && !page.isOver(); at += PIECE) parser.write(html.slice(at, at + PIECE))
  if (!page.isOver()) parser.end()
  return page.read()
}

const createPage = (most: number) => {
  const parts: string[] = []
  const addresses: (string | undefined)[] = []
  let size = 0
  let depth = 0
  let silent = 0
  let kept = 0
  const isOver = () => size > most || depth > DEEPEST

  const add = (text: string) => {
    if (text === '' || isOver()) return
    parts.push(text)
    size += text.length
  }
  const onopentag = (name: string, { href }: Record<string, string>) => {
    depth += 1
    if (SILENT.has(name)) silent += 1
    if (name === 'pre') kept += 1
    if (name === 'a') addresses.push(href)
    if (name === 'li') add('\n- ')
    else if (name === 'td' || name === 'th') add('\t')
    else if (name === 'br' || BLOCKS.has(name)) add('\n')
  }
  const onclosetag = (name: string) => {
    depth -= 1
    if (SILENT.has(name)) silent -= 1
    if (name === 'pre') kept -= 1
    const address = name === 'a' ? addresses.pop() : undefined
    if (silent === 0 && address !== undefined && /^https?:/i.test(address)) add(` (${address})`)
    if (BLOCKS.has(name) && name !== 'li') add('\n')
  }
  const ontext = (text: string) => {
    if (silent === 0) add(kept > 0 ? text : text.replace(/\s+/g, ' '))
  }

  const read = () => {
    const text = parts
      .join('')
      .replace(/[^\S\n]+\n/g, '\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim()
    return { text: text.slice(0, most), cut: isOver() }
  }
  return { handler: { onopentag, onclosetag, ontext }, isOver, read }
}
