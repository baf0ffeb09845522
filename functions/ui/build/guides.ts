import { readFileSync } from 'node:fs'
import type { Plugin } from 'vite'
import { parseMarkdown } from '../app/components/markdown-syntax.ts'
import type { GuideNode } from '../app/data/guide-node.ts'

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
  return type === 'table' ? withRowAnchors(node) : node
}

const guideNodes = (text: string): GuideNode[] => (parseMarkdown(text) as Parsed[]).map(guideNode)

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
}

/** Builds the pages of `docs/` into the bundle as data: no Markdown parser runs for them in the browser. */
export const guides = (): Plugin => ({
  name: 'guides',
  enforce: 'pre',
  load(id) {
    const [file = '', query = ''] = id.split('?')
    const form = file.endsWith('.md') ? forms[query] : undefined
    if (form === undefined) return undefined
    this.addWatchFile(file)
    return `export const ${query} = ${JSON.stringify(form(guideNodes(readFileSync(file, 'utf8'))))}`
  },
})
