import { renderMermaidSVG } from 'beautiful-mermaid'
import { parseDocument } from 'htmlparser2'
import type { Drawing } from '../app/data/guide-node.ts'

type Parsed = ReturnType<typeof parseDocument>['childNodes'][number]

/** The colours of the drawing, and those of the theme that they become. */
const COLOURS: Readonly<Record<string, string>> = {
  '--bg': '--background',
  '--_text': '--foreground',
  '--_text-sec': '--muted-foreground',
  '--_text-muted': '--muted-foreground',
  '--_text-faint': '--muted-foreground',
  '--_line': '--muted-foreground',
  '--_arrow': '--muted-foreground',
  '--_node-fill': '--muted',
  '--_node-stroke': '--muted-foreground',
  '--_group-fill': '--background',
  '--_group-hdr': '--muted',
  '--_inner-stroke': '--border',
  '--_key-badge': '--muted',
}

const inTheme = (value: string) =>
  value.replaceAll(/var\((--[\w-]+)\)/g, (_whole, name: string) => {
    const colour = COLOURS[name]
    if (colour === undefined)
      throw new Error(`A drawing has the colour ${name}, which no colour of the theme stands for`)
    return `var(${colour})`
  })

/** `stroke-width` → `strokeWidth` */
const reactName = (name: string) =>
  name.replaceAll(/-(\w)/g, (_whole, letter: string) => letter.toUpperCase())

/** The policy of the page allows no styles in a document. */
const LEFT_OUT = /^(?:style|class|xmlns)$|^data-/

const drawingNodes = (node: Parsed): (Drawing | string)[] => {
  if (node.type === 'text') return node.data.trim() === '' ? [] : [node.data]
  if (node.type !== 'tag' || node.name === 'style') return []
  const attributes = Object.entries(node.attribs).filter(([name]) => !LEFT_OUT.test(name))
  return [
    {
      name: node.name,
      attributes: Object.fromEntries(attributes.map(([name, value]) => [reactName(name), inTheme(value)])),
      children: node.childNodes.flatMap(drawingNodes),
    },
  ]
}

/** Draws a Mermaid diagram in the colours of the theme, as elements without style and script. */
export const draw = (mermaid: string): Drawing => {
  const { childNodes } = parseDocument(renderMermaidSVG(mermaid), { xmlMode: true })
  const [drawing] = childNodes.flatMap(drawingNodes)
  if (typeof drawing !== 'object') throw new Error('A Mermaid diagram was not drawn')
  return drawing
}
