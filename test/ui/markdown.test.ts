import { describe, expect, it } from '@jest/globals'
import { colouredWords } from '../../functions/ui/app/components/coloured-limit.ts'
import type { Block, Part } from '../../functions/ui/app/components/markdown-blocks.ts'
import { partAt } from '../../functions/ui/app/components/markdown-part.ts'
import { linePieces } from '../../functions/ui/app/components/text-pieces.ts'
import { layoutWeight, startOfLine } from '../../functions/ui/app/components/text-weight.ts'
import { writtenPart } from '../../functions/ui/app/components/written-part.ts'
import { seededRandom } from '../crash/random.ts'
import { hostileTexts, markdownText } from './markdown-corpus.ts'

/** Number and length of random texts; `npm run soak` uses many large ones. */
const TEXTS = Number(process.env.MARKDOWN_TEXTS ?? 60)
const LETTERS = Number(process.env.MARKDOWN_LETTERS ?? 1_200)
const SEED = Number(process.env.MARKDOWN_SEED ?? 20_261_126)

type Drawn = Block & { children?: readonly Drawn[]; value?: string }

const allParts = (text: string, sliceLetters?: number): Part[] => {
  const parts: Part[] = []
  for (let from = 0; from < text.length; from = parts.at(-1)?.end ?? text.length) {
    const part = partAt(text, from, sliceLetters === undefined ? {} : { sliceLetters })
    expect(part.end).toBeGreaterThan(from)
    parts.push(part)
  }
  return parts
}
const allBlocks = (parts: readonly Part[]): Drawn[] =>
  parts.flatMap(({ groups }) => groups.flatMap(({ blocks }) => blocks)) as Drawn[]

const nodeCount = ({ children = [] }: Drawn): number => children.reduce((sum, one) => sum + nodeCount(one), 1)
const nodeDepth = ({ children = [] }: Drawn): number => 1 + Math.max(0, ...children.map(nodeDepth))
const nodeText = ({ type, value = '', children = [] }: Drawn): string =>
  type === 'code' || type === 'written' ? '' : value + children.map(nodeText).join('')
const heaviestText = (node: Drawn): number =>
  isParagraph(node) ? layoutWeight(nodeText(node)) : Math.max(0, ...(node.children ?? []).map(heaviestText))
const isParagraph = ({ type }: Drawn) => ['paragraph', 'heading', 'tableCell'].includes(type)

/** The work of one rendering step is bounded for any text. */
const expectBounded = (parts: readonly Part[]) => {
  for (const { groups } of parts) {
    expect(groups.reduce((sum, { blocks }) => sum + blocks.length, 0)).toBeLessThanOrEqual(10_001)
    for (const { blocks } of groups) {
      const sizes = (blocks as Drawn[]).map(nodeCount)
      // Groups are light; indivisible blocks stand alone.
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(sizes.length > 1 ? 300 : 4_000)
      expect(Math.max(...(blocks as Drawn[]).map(nodeDepth))).toBeLessThanOrEqual(31)
      expect(Math.max(...(blocks as Drawn[]).map(heaviestText))).toBeLessThanOrEqual(10_000)
    }
  }
}

describe('a text that is drawn as Markdown', () => {
  it.each(hostileTexts(LETTERS))('is bounded in what is drawn in one step: %s', (_name, text) => {
    expectBounded(allParts(text))
  })

  it(`is bounded, whatever it is made of: ${TEXTS} random texts, MARKDOWN_SEED=${SEED}`, () => {
    const random = seededRandom(SEED)
    for (let n = 0; n < TEXTS; n += 1) expectBounded(allParts(markdownText(random, LETTERS)))
  })

  const times = (text: string, count: number) => text.repeat(count)
  const table = (rows: number) => `| a | b |\n| - | - |\n${times('| 1 | 2 |\n', rows)}`
  it.each([
    ['a report', times('- **Bold** and `code` of [a link](https://example.com).\n\n', 300), 'list'],
    ['a ruler', `${times('-', 200)}\n`, 'thematicBreak'],
    ['a table', table(500), 'table'],
    ['much code', `\`\`\`json\n${times('  "a": [1, 2],\n', 8_000)}\`\`\``, 'code'],
    ['a long quote', times('> A line of it.\n>\n', 2_000), 'blockquote'],
    ['a list of 2,000 items', times('- item\n', 2_000), 'list'],
  ])('is drawn whole: %s', (_name, text, type) => {
    expect(new Set(allBlocks(allParts(text)).map((block) => block.type))).toEqual(new Set([type]))
  })

  it.each([
    ['a table of more rows than are drawn', table(2_000)],
    ['a paragraph of more emphasis than is drawn', times('*a* ', 2_000)],
    ['a paragraph that does not end', times('word ', 2_100)],
    ['quotes in each other', `${times('> ', 40)}a`],
    ['a paragraph of more Thai than is laid out', times('ประเทศไทย ', 280)],
    ['such a paragraph in several forms', times(`${times('ก', 300)}*ก*`, 9)],
    ['a paragraph that changes its script too often', times('aж', 170)],
    ['a table of more Thai than is laid out', `|a|b|\n|-|-|\n${times(`|${times('ก', 200)}|b|\n`, 66)}`],
    ['a name of an image that is too long', `![${times('ก ', 2_001)}](a.png)`],
  ])('is shown as written where drawing a block would stop the page: %s', (_name, text) => {
    const blocks = allBlocks(allParts(text))
    expect(blocks.map(({ type, value }) => [type, value?.trim() === text.trim()])).toEqual([
      ['written', true],
    ])
  })

  it('is cut where the parser ends a block, so that it reads as if it were not cut', () => {
    const text = [
      `A line.\n\n<div>\n\n\`\`\`\n${times('- code\n\n', 60)}\`\`\`\n</div>\n`,
      times('- item\n  - inner\n\n    of it\n', 40),
      `> quote\n> \`\`\`\n${times('> code\n', 40)}> \`\`\`\n`,
      `${times('    indented\n\n', 30)}`,
      `Setext\n===\n\n${times('7. a\n', 40)}\n<!--\n\n# comment\n\n-->\n`,
      table(30),
    ].join('\n')
    const words = (sliceLetters: number) => JSON.stringify(leaves(allBlocks(allParts(text, sliceLetters))))
    for (const sliceLetters of [20, 100, 777]) expect(words(sliceLetters)).toBe(words(1_000_000))
  })

  it('continues the numbers of a list that is drawn in several steps', () => {
    const lists = allBlocks(allParts(times('1. a\n', 900)))
    expect(lists.length).toBeGreaterThan(1)
    expect(lists.map((list) => 'start' in list && list.start)).toEqual(
      lists.map(
        (_, at) => 1 + lists.slice(0, at).reduce((sum, list) => sum + (list.children?.length ?? 0), 0),
      ),
    )
  })

  it('has the targets of its links by name, wherever they are defined', () => {
    const text = `See [the docs][docs] and [none].\n\n${times('A line.\n\n', 400)}[docs]: https://example.com "Docs"\n`
    for (const sliceLetters of [500, 1_000_000]) {
      const [first] = allBlocks(allParts(text, sliceLetters))
      expect(first?.children).toMatchObject([
        { type: 'text', value: 'See ' },
        { type: 'link', url: 'https://example.com', children: [{ value: 'the docs' }] },
        { type: 'text', value: ' and [none].' },
      ])
    }
  })

  it('is drawn in parts, each of which ends at a line', () => {
    const text = times('A line of a report.\n\n', 6_000)
    const parts = allParts(text)
    expect(parts.length).toBeGreaterThan(1)
    for (const { end } of parts) expect(text[end - 1]).toBe('\n')
  })
})

const leaves = (nodes: readonly Drawn[]): unknown[] =>
  nodes.flatMap((node) => (node.children ? leaves(node.children) : [[node.type, node.value]]))

describe('a text that is shown as written', () => {
  it('is in parts of whole lines, where it has lines', () => {
    const text = 'A line.\n'.repeat(10_000)
    const part = writtenPart(text, 8)
    expect([part.end % 8, part.end]).toEqual([0, 50_008])
    expect(writtenPart('a'.repeat(60_000), 0).end).toBe(50_000)
    expect(writtenPart('short', 0)).toMatchObject({ end: 5, groups: [{ blocks: [{ value: 'short' }] }] })
  })

  it.each([
    ['short', ['short']],
    ['', ['']],
    // Weights: a line break 40 characters of ASCII, another script 4, a change of script 28.
    [`${'a\n'.repeat(60)}b`, ['a\n'.repeat(58).concat('a'), 'a\nb']],
    ['\n'.repeat(121), ['\n'.repeat(61), '\n'.repeat(60)]],
    [`a\n${'a'.repeat(2_000)}\n${'a'.repeat(400)}\nb`, [`a\n${'a'.repeat(2_000)}`, `${'a'.repeat(400)}\nb`]],
    [`a\n${'ก'.repeat(700)}\nb`, ['a', 'ก'.repeat(700), 'b']],
    ['ก'.repeat(2_500), ['ก'.repeat(2_000), 'ก'.repeat(500)]],
    ['aж'.repeat(200), [`${'aж'.repeat(131)}a`, `ж${'aж'.repeat(68)}`]],
    [`${'aж'.repeat(100)} ${'aж'.repeat(100)}`, [`${'aж'.repeat(100)} `, 'aж'.repeat(100)]],
    ['a'.repeat(2_500), ['a'.repeat(2_000), 'a'.repeat(500)]],
    [`${'a'.repeat(1_900)} ${'a'.repeat(200)}`, [`${'a'.repeat(1_900)} `, 'a'.repeat(200)]],
    [`${'a'.repeat(1_999)}😀b`, [`${'a'.repeat(1_999)}😀`, 'b']],
    [`${'a'.repeat(2_000)}\u0301b`, [`${'a'.repeat(2_000)}\u0301`, 'b']],
  ])('is laid out in pieces that take a browser little time: %#', (text, pieces) => {
    expect(linePieces(text)).toEqual(pieces)
  })
})

describe('code', () => {
  it.each([
    ['of a program', 'const a = 1\n'.repeat(100), 400],
    ['with a word for each second letter', `${'1,'.repeat(30)}\n`.repeat(80), 0],
    ['of many letters', 'longer '.repeat(800), 0],
    ['in one long line', 'const a = 1;'.repeat(50), 0],
  ])('is coloured where finding its colours takes little time: %s', (_of, text, words) => {
    expect(colouredWords(text)).toBe(words)
  })
})

describe('a text in one line of a list', () => {
  it.each([
    ['Guard total() against an empty cart', 'Guard total() against an empty cart'],
    ['a'.repeat(500), `${'a'.repeat(400)}…`],
    ['ก'.repeat(500), `${'ก'.repeat(400)}…`],
    ['aж'.repeat(500), `${'aж'.repeat(33)}…`],
    [`${'a'.repeat(399)}😀`, `${'a'.repeat(399)}…`],
  ])('ends where a line of the page ends, or before it where it costs much: %#', (text, start) => {
    expect(startOfLine(text)).toBe(start)
  })
})
