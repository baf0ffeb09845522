import { colouredWords } from './coloured-limit.ts'
import type { Block, Group, MarkdownNode, Part } from './markdown-blocks.ts'
import { parseMarkdown } from './markdown-syntax.ts'
import { createWeigher, layoutWeight } from './text-weight.ts'
import { LETTERS_A_WEIGHT, PART_LETTERS } from './written-part.ts'

type NodeWithType<Type extends MarkdownNode['type']> = Extract<MarkdownNode, { type: Type }>

/** The slice size; a single longer block is parsed whole. Parsing is quadratic in lists and emphasis, so slices are small. */
const SLICE_LETTERS = 2_000
/** The largest weight of a part. */
const PART_WEIGHT = 10_000
/** The weight that is rendered in one step, which takes a few milliseconds. */
const GROUP_WEIGHT = 300
/** The limit of an indivisible block. Code is rendered by lines and has no limit of characters. */
const BLOCK_WEIGHT = 4_000
/**
 * The limit of a paragraph, heading or cell in `layoutWeight`. Layout is quadratic in the length of the text in some scripts, such as Thai.
 */
const PARAGRAPH_WEIGHT = 10_000
/** Layout passes over the text of a table, to find the widths of its columns. */
const TIMES_IN_TABLE = 4
/** `layoutWeight` per unit of weight. */
const LAID_OUT_A_WEIGHT = 50
const MOST_DEPTH = 30
const MOST_DEFINITIONS = 100
const DEFINITION_LETTERS = 1_000

/** Blocks with offsets in `source`, which begins at `from` after `prefix` characters. */
type Slice = {
  from: number
  end: number
  source: string
  prefix: number
  nodes: readonly MarkdownNode[]
  isWithinList?: boolean
  /** The first number, if the slice begins within a numbered list. */
  first?: number | undefined
}

const startOffset = ({ position }: MarkdownNode): number => position?.start.offset ?? 0
const endOffset = ({ position }: MarkdownNode): number => position?.end.offset ?? 0
const lineStart = (source: string, at: number): number => source.lastIndexOf('\n', at - 1) + 1

/** Parses up to the start of the last block, which may continue beyond the slice. */
const sliceAt = (text: string, from: number, letters: number): Slice => {
  for (let size = letters; ; size *= 2) {
    const source = text.slice(from, from + size)
    const children = parseMarkdown(source)
    const isRest = from + size >= text.length
    const complete = isRest ? { nodes: children, end: source.length } : completeBlocks(children, source)
    if (complete) return { ...complete, from, end: from + complete.end, source, prefix: 0 }
  }
}

/** The blocks before the last one, or the items before the last item of a single list. */
const completeBlocks = (nodes: MarkdownNode[], source: string) => {
  const last = nodes.at(-1)
  // Blank lines only.
  if (last === undefined) return { nodes, end: source.length }
  if (nodes.length > 1) return { nodes: nodes.slice(0, -1), end: lineStart(source, startOffset(last)) }
  if (last.type !== 'list') return undefined
  const items = last.children.slice(0, -1)
  const item = last.children.at(-1)
  if (item === undefined || items.length === 0) return undefined
  return {
    nodes: [{ ...last, children: items }],
    end: lineStart(source, startOffset(item)),
    isWithinList: true,
  }
}

const definitionsIn = ({ nodes, source }: Slice): string[] =>
  nodes
    .filter(({ type }) => type === 'definition')
    .map((node) => source.slice(startOffset(node), endOffset(node)))
    .filter(({ length }) => length <= DEFINITION_LETTERS)

/** Parses a slice together with all link definitions of the part, so that reference links resolve. */
const withDefinitions = (text: string, { from, end, first }: Slice, definitions: string): Slice => {
  const source = `${definitions}\n\n${text.slice(from, end)}`
  const prefix = definitions.length + 2
  const nodes = parseMarkdown(source)
  return { from, end, source, prefix, nodes, first }
}

/** Elements per node. */
const WEIGHTS: Partial<Record<MarkdownNode['type'], number>> = { code: 8, table: 6, listItem: 2, tableRow: 2 }

class TooDeep extends Error {}

/** `paragraph` is the text weight of the current paragraph, including its emphasis and links. */
type Scale = { weight: number; paragraph: number; weigh: (code: number) => number; heaviest: number }
const emptyScale = (): Scale => ({ weight: 0, paragraph: 0, weigh: createWeigher(), heaviest: 0 })
type Urls = ReadonlyMap<string, string>

const addText = (scale: Scale, text: string, isInTable: boolean): void => {
  const weight = layoutWeight(text, scale.weigh)
  scale.weight += ((isInTable ? TIMES_IN_TABLE : 1) * weight) / LAID_OUT_A_WEIGHT
  scale.paragraph += weight
  scale.heaviest = Math.max(scale.heaviest, scale.paragraph)
}

const PARAGRAPHS: ReadonlySet<MarkdownNode['type']> = new Set(['paragraph', 'heading', 'tableCell'])

/** A node without positions, which are most of its size, and with reference links resolved. Adds to the scale. */
const drawable = (
  node: MarkdownNode,
  scale: Scale,
  urls: Urls,
  depth = 0,
  isWithinTable = false,
): MarkdownNode => {
  const isInTable = isWithinTable || node.type === 'table'
  if (depth > MOST_DEPTH) throw new TooDeep()
  const { position: _position, ...rest } = node
  scale.weight += WEIGHTS[node.type] ?? 1
  // Each highlighted token is an element.
  if (rest.type === 'code' && rest.lang) scale.weight += colouredWords(rest.value)
  if (PARAGRAPHS.has(node.type)) {
    scale.paragraph = 0
    scale.weigh = createWeigher()
  }
  if ('value' in rest && rest.type !== 'code') addText(scale, rest.value, isInTable)
  if ('alt' in rest) addText(scale, rest.alt || ('url' in rest ? rest.url : ''), isInTable)
  if (!('children' in rest)) return rest as MarkdownNode
  const children = (rest.children as MarkdownNode[]).map((child) =>
    drawable(child, scale, urls, depth + 1, isInTable),
  )
  const url = rest.type === 'linkReference' ? urls.get(rest.identifier) : undefined
  return (url === undefined ? { ...rest, children } : { type: 'link', url, children }) as MarkdownNode
}

type Weighed = { block: Block; weight: number; from: number; to: number }

/** Splits a list or quote that is too heavy for one step. */
const weighed = (node: MarkdownNode, source: string, urls: Urls): Weighed[] => {
  const [from, to] = [startOffset(node), endOffset(node)]
  const block = drawnWithin(node, urls)
  if (block) return [{ ...block, from, to }]
  if ((node.type === 'list' || node.type === 'blockquote') && node.children.length > 1)
    return halves(node).flatMap((half) => weighed(half, source, urls))
  const value = source.slice(from, to)
  return [{ block: { type: 'written', value }, weight: value.length / LETTERS_A_WEIGHT, from, to }]
}

const drawnWithin = (node: MarkdownNode, urls: Urls): { block: Block; weight: number } | undefined => {
  const isDivisible = node.type === 'list' || node.type === 'blockquote'
  const scale = emptyScale()
  try {
    const block = drawable(node, scale, urls)
    const { weight, heaviest } = scale
    const isLight = weight <= (isDivisible && node.children.length > 1 ? GROUP_WEIGHT : BLOCK_WEIGHT)
    return isLight && heaviest <= PARAGRAPH_WEIGHT ? { block, weight } : undefined
  } catch (thrown) {
    if (thrown instanceof TooDeep) return undefined
    throw thrown
  }
}

const halves = (node: NodeWithType<'list'> | NodeWithType<'blockquote'>): MarkdownNode[] => {
  const middle = Math.ceil(node.children.length / 2)
  const children: readonly MarkdownNode[] = node.children
  const half = (some: readonly MarkdownNode[], start: object) =>
    ({ ...node, ...start, children: some, position: joinedPosition(some) }) as MarkdownNode
  const isCounted = node.type === 'list' && node.ordered
  return [
    half(children.slice(0, middle), {}),
    half(children.slice(middle), isCounted ? { start: (node.start ?? 1) + middle } : {}),
  ]
}

const joinedPosition = (nodes: readonly MarkdownNode[]) => {
  const [first, last] = [nodes[0]?.position, nodes.at(-1)?.position]
  return first && last && { start: first.start, end: last.end }
}

/** What the rendering of a block depends on: link targets, and which footnotes exist. */
const definedIn = (nodes: readonly MarkdownNode[]) => {
  const urls = new Map<string, string>()
  const footnotes = new Set<string>()
  for (const node of nodes) {
    if (node.type === 'definition' && !urls.has(node.identifier)) urls.set(node.identifier, node.url)
    if (node.type === 'footnoteDefinition') footnotes.add(node.identifier)
  }
  return { urls, key: JSON.stringify([...urls, ...footnotes]) }
}

const numberAfter = ({ nodes, isWithinList, first }: Slice): number | undefined => {
  const last = nodes.at(-1)
  if (!isWithinList || last?.type !== 'list' || !last.ordered) return undefined
  return ((nodes.length === 1 ? first : undefined) ?? last.start ?? 1) + last.children.length
}

type WeighedGroup = Group & { at: number }

/** `at` is the offset of the group in the text, at the start of a line. */
const groupBlocks = ({ from, source, prefix, nodes, first }: Slice): WeighedGroup[] => {
  const { urls, key } = definedIn(nodes)
  const groups: Weighed[][] = []
  let weight = 0
  const own = nodes.filter((node) => startOffset(node) >= prefix)
  for (const [at, node] of own.entries()) {
    if (node.type === 'definition') continue
    const isNumbered = at === 0 && first !== undefined && node.type === 'list' && node.ordered
    const numbered = isNumbered ? { ...node, start: first } : node
    for (const one of weighed(numbered, source, urls)) {
      weight += one.weight
      if (groups.length === 0 || weight > GROUP_WEIGHT) {
        groups.push([])
        weight = one.weight
      }
      groups.at(-1)?.push(one)
    }
  }
  return groups.map((group) => {
    const start = group[0]?.from ?? 0
    return {
      blocks: group.map(({ block }) => block),
      source: source.slice(start, group.at(-1)?.to),
      definitions: key,
      weight: group.reduce((sum, one) => sum + one.weight, 0),
      at: from + lineStart(source, start) - prefix,
    }
  })
}

type Options = {
  /** The part ends with the first slice beyond this length. */
  letters?: number
  sliceLetters?: number
  /** Called per slice, before reference links to other slices are resolved. */
  onSlice?: (slice: Part) => void
}

/** Parsing time is not limited here: the caller terminates the worker. */
export const partAt = (text: string, from: number, options: Options = {}): Part => {
  const { letters = PART_LETTERS, sliceLetters = SLICE_LETTERS, onSlice } = options
  const slices: Slice[] = []
  const parsed: WeighedGroup[][] = []
  let end = from
  let weight = 0
  while (end < text.length && end - from < letters && weight <= PART_WEIGHT) {
    const before = slices.at(-1)
    const slice = { ...sliceAt(text, end, sliceLetters), first: before && numberAfter(before) }
    const groups = groupBlocks(slice)
    slices.push(slice)
    parsed.push(groups)
    end = slice.end
    weight += groups.reduce((sum, group) => sum + group.weight, 0)
    onSlice?.({ groups, end })
  }
  const definitions = slices.flatMap(definitionsIn).slice(0, MOST_DEFINITIONS).join('\n')
  const isSeveral = slices.length > 1 && definitions !== ''
  const groups = isSeveral
    ? slices.flatMap((slice) => groupBlocks(withDefinitions(text, slice, definitions)))
    : parsed.flat()
  return cut({ groups, end })
}

const cut = ({ groups, end }: { groups: readonly WeighedGroup[]; end: number }): Part => {
  let weight = 0
  for (const [at, group] of groups.entries()) {
    weight += group.weight
    if (at > 0 && weight > PART_WEIGHT) return { groups: groups.slice(0, at), end: group.at }
  }
  return { groups, end }
}
