import { readFileSync } from 'node:fs'
import type { Plugin } from 'vite'
import { parseMarkdown } from '../app/components/markdown-syntax.ts'
import type { DocsSection, GuideNode } from '../app/data/guide-node.ts'
import { draw } from './drawing.ts'

type Parsed = { [Name in keyof GuideNode]: GuideNode[Name] } & { children?: Parsed[] }

const plainText = ({ value = '', children = [] }: GuideNode): string =>
  value + children.map(plainText).join('')

/** As on GitHub. */
const headingAnchor = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-')

/** Words in code marks in the first cell of a row, such as error codes, are its anchors. */
const codeAnchors = ({ children: [first] = [] }: GuideNode): string[] =>
  (first?.children ?? []).flatMap(({ type, value = '' }) =>
    type === 'inlineCode' && /^\w+$/.test(value) ? [value] : [],
  )

const withRowAnchors = (table: GuideNode): GuideNode => {
  const [head, ...rows] = table.children ?? []
  if (head?.children?.[0] === undefined || !/^code\b/.test(plainText(head.children[0]))) return table
  const anchored = rows.map((row) => {
    const anchors = codeAnchors(row)
    return anchors.length > 0 ? { ...row, anchors } : row
  })
  return { ...table, children: [head, ...anchored] }
}

/** A node without positions, with its anchors. */
const guideNode = ({ type, value, depth, ordered, url, lang, children }: Parsed): GuideNode => {
  const node: GuideNode = {
    type,
    ...(value === undefined ? {} : { value }),
    ...(depth === undefined ? {} : { depth }),
    ...(ordered ? { ordered } : {}),
    ...(url === undefined ? {} : { url }),
    ...(lang ? { lang } : {}),
    ...(children ? { children: children.map(guideNode) } : {}),
  }
  if (type === 'heading') return { ...node, anchors: [headingAnchor(plainText(node))] }
  if (lang === 'mermaid' && value !== undefined) return { type, drawing: draw(value) }
  return type === 'table' ? withRowAnchors(node) : node
}

const guideNodes = (text: string): GuideNode[] => (parseMarkdown(text) as Parsed[]).map(guideNode)

const FLOWING = new Set(['text', 'inlineCode', 'strong', 'emphasis', 'link', 'delete'])

/** Text for the search: what is not one line of text is divided by a blank. */
const searchText = (node: GuideNode): string => {
  const { type, value = '', children = [] } = node
  if (type === 'html') return ''
  const text = value + children.map(searchText).join('')
  return FLOWING.has(type) ? text : `${text.trim()} `
}

const rowSections = ({ children: rows = [] }: GuideNode): DocsSection[] =>
  rows.flatMap((row) => {
    const [anchor] = row.anchors ?? []
    return anchor === undefined ? [] : [{ heading: anchor, anchor, text: searchText(row) }]
  })

/** The sections of a page in their order; the first has its title. Rows that explain codes are sections of their own. */
const sections = (nodes: readonly GuideNode[]): DocsSection[] => {
  const found: DocsSection[] = []
  for (const node of nodes) {
    const [anchor] = node.anchors ?? []
    const rows = node.type === 'table' ? rowSections(node) : []
    const section = found.at(-1)
    if (node.type === 'heading') {
      const heading = plainText(node)
      found.push(
        node.depth === 1 || anchor === undefined ? { heading, text: '' } : { heading, anchor, text: '' },
      )
    } else if (rows.length > 0) found.push(...rows)
    else if (section) section.text += searchText(node)
  }
  return found
}

const codesIn = (nodes: readonly GuideNode[]): string[] =>
  nodes.flatMap(({ type, anchors = [], children = [] }) => [
    ...(type === 'tableRow' ? anchors : []),
    ...codesIn(children),
  ])

/** By the query after the file name: the nodes of a page, its title, or the error codes that it explains. */
const forms: Readonly<Record<string, (nodes: readonly GuideNode[]) => unknown>> = {
  guide: (nodes) => nodes,
  title: (nodes) => plainText(nodes.find(({ type }) => type === 'heading') ?? { type: 'heading' }),
  codes: codesIn,
  sections,
}

/** The part of README.md that begins the docs. */
const quickstart = (readme: string): string => {
  const [, from = ''] = readme.split(/^(?=## Start$)/m)
  const [start = ''] = from.split(/^## Contents$/m)
  return `# Quickstart\n\n${start}`
}

/** The pages that the contents of README.md list, as `group/page`. */
const order = (readme: string): string[] => {
  const [, contents = ''] = readme.split(/^## Contents$/m)
  return [...contents.matchAll(/\(docs\/([\w-]+\/[\w-]+)\.md\)/g)].flatMap(([, page]) => page ?? [])
}

const built = (file: string, query: string): unknown => {
  const text = readFileSync(file, 'utf8')
  if (query === 'order') return order(text)
  return forms[query]?.(guideNodes(file.endsWith('/README.md') ? quickstart(text) : text))
}

/** Builds the pages of `docs/` into the bundle as data: no Markdown parser runs for them in the browser. */
export const guides = (): Plugin => ({
  name: 'guides',
  enforce: 'pre',
  load(id) {
    const [file = '', query = ''] = id.split('?')
    const data = file.endsWith('.md') ? built(file, query) : undefined
    if (data === undefined) return undefined
    this.addWatchFile(file)
    return `export const ${query} = ${JSON.stringify(data)}`
  },
})
