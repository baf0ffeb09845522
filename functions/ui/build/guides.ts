import { readFileSync } from 'node:fs'
import type { Plugin } from 'vite'
import { parseMarkdown } from '../app/components/markdown-syntax.ts'
import type { GuideNode } from '../app/data/guide-node.ts'

type Parsed = { [Name in keyof GuideNode]: GuideNode[Name] } & { children?: Parsed[] }

const plainText = ({ value = '', children = [] }: GuideNode): string =>
  value + children.map(plainText).join('')

/** As GitHub makes it. */
const headingAnchor = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-')

/** The words in code marks of a row's first cell, such as codes of errors: each leads to the row. */
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

/** A node without positions, with what leads to it. */
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

/** What is asked of a page, by what stands after its name: its nodes, its title, or the codes of errors that it explains. */
const forms: Readonly<Record<string, (nodes: readonly GuideNode[]) => unknown>> = {
  guide: (nodes) => nodes,
  title: (nodes) => plainText(nodes.find(({ type }) => type === 'heading') ?? { type: 'heading' }),
  codes: codesIn,
}

/** Builds the pages of `docs/` into the page as data, so that no parser of Markdown runs for them in the browser. */
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
