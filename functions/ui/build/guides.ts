import { readFileSync } from 'node:fs'
import { fromMarkdown } from 'mdast-util-from-markdown'
import type { Plugin } from 'vite'
import type { GuideNode } from '../app/data/guide-node.ts'

type Parsed = { [Name in keyof GuideNode]: GuideNode[Name] } & { children?: Parsed[] }

const plain = ({ type, value, depth, ordered, url, lang, children }: Parsed): GuideNode => ({
  type,
  ...(value === undefined ? {} : { value }),
  ...(depth === undefined ? {} : { depth }),
  ...(ordered ? { ordered } : {}),
  ...(url === undefined ? {} : { url }),
  ...(lang ? { lang } : {}),
  ...(children ? { children: children.map(plain) } : {}),
})

const nodesOf = (text: string): GuideNode[] => (fromMarkdown(text).children as Parsed[]).map(plain)

const textOf = ({ value = '', children = [] }: GuideNode): string => value + children.map(textOf).join('')

/** As GitHub makes it. */
const slugOf = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-')

const TABLE = /^\|.*\n\|[ :|-]+\n(?:\|.*(?:\n|$))*/gm
const FENCED = /^```.*?^```$/gms

/** The cells of a line; a bar with a backslash before it is part of one. */
const cellsOf = (line: string) =>
  line
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'))

const inline = (text: string): GuideNode[] => nodesOf(text).flatMap(({ children = [] }) => children)

/** In the first cell each word in code marks is what leads to the row, such as the code of an error. */
const anchorsOf = (cell: string) => [...cell.matchAll(/`(\w+)`/g)].map(([, word = '']) => word)

const tableOf = (text: string): GuideNode => {
  const [head = '', , ...rows] = text.trimEnd().split('\n')
  const row = (line: string, hasAnchors: boolean): GuideNode => {
    const cells = cellsOf(line)
    const anchors = hasAnchors ? anchorsOf(cells[0] ?? '') : []
    const children = cells.map((cell): GuideNode => ({ type: 'tableCell', children: inline(cell) }))
    return { type: 'tableRow', ...(anchors.length > 0 ? { anchors } : {}), children }
  }
  const isOfCodes = /^code\b/.test(cellsOf(head)[0] ?? '')
  return { type: 'table', children: [row(head, false), ...rows.map((line) => row(line, isOfCodes))] }
}

const withAnchor = (node: GuideNode): GuideNode =>
  node.type === 'heading' ? { ...node, anchors: [slugOf(textOf(node))] } : node

/** A page as nodes. Tables are no part of CommonMark: they are cut out, and what stands between is parsed. */
export const guideOf = (text: string): GuideNode[] => {
  const fenced = [...text.matchAll(FENCED)].map(
    ({ index, 0: block }) => [index, index + block.length] as const,
  )
  const isCode = (at: number) => fenced.some(([from, to]) => from <= at && at < to)
  const tables = [...text.matchAll(TABLE)].filter(({ index }) => !isCode(index))
  const nodes: GuideNode[] = []
  let at = 0
  for (const { index, 0: table } of tables) {
    nodes.push(...nodesOf(text.slice(at, index)), tableOf(table))
    at = index + table.length
  }
  return [...nodes, ...nodesOf(text.slice(at))].map(withAnchor)
}

const codesIn = (nodes: readonly GuideNode[]): string[] =>
  nodes.flatMap(({ type, anchors = [], children = [] }) => [
    ...(type === 'tableRow' ? anchors : []),
    ...codesIn(children),
  ])

/** What is asked of a page, by what stands after its name: its nodes, its title, or the codes of errors that it explains. */
const forms: Readonly<Record<string, (nodes: readonly GuideNode[]) => unknown>> = {
  guide: (nodes) => nodes,
  title: (nodes) => textOf(nodes.find(({ type }) => type === 'heading') ?? { type: 'heading' }),
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
    return `export const ${query} = ${JSON.stringify(form(guideOf(readFileSync(file, 'utf8'))))}`
  },
})
