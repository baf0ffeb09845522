import { hash } from 'node:crypto'
import { estimateTokenCount } from 'tokenx'
import { cutText } from '../core/cut-text.ts'
import { type Heading, parseStructure } from './markdown-lines.ts'
import type { StoredChunk } from './rows.ts'

export const MOST_TOKENS = 400
/** The longest piece of a line that is longer than a chunk. */
const LONGEST_PIECE = 1_200

type Block = { first: number; end: number; tokens: number }
/** The lines under one heading, the heading included; the headings above it are its trail. */
type Section = { first: number; end: number; trail: readonly Heading[] }
type Piece = { first: number; end: number; text: string }

/**
 * Cuts a markdown document into chunks of at most about `MOST_TOKENS`: at headings, then at blank lines outside of code,
 * then at line ends, and inside of a line only if it is too long. Every line that is not blank is in a chunk, in order.
 * Ids are hashes of the path, the headings and the text: an unchanged part keeps its id.
 */
export const chunkMarkdown = (path: string, source: string): StoredChunk[] => {
  const lines = source.split(/\r\n|\n|\r/)
  const { front, headings, isGap } = parseStructure(lines)
  const seen = new Map<string, number>()
  return splitSections(lines, front, headings).flatMap(({ trail, ...section }) => {
    const names = trail.map(({ title }) => title).filter((title) => title !== '')
    return splitPieces(lines, isGap, section).map(({ first, end, text }) => {
      const key = JSON.stringify([path, names, text])
      const times = seen.get(key) ?? 0
      seen.set(key, times + 1)
      return {
        id: `chk_${hash('sha256', `${key}${times}`, 'hex').slice(0, 26)}`,
        startLine: first + 1,
        endLine: end,
        ...(names.length > 0 ? { heading: names.at(-1) as string } : {}),
        ...(names.length > 1 ? { trail: names.slice(0, -1) } : {}),
        text,
      }
    })
  })
}

/** A heading without text joins the next section, and so does front matter: alone it would be useless in a search. */
const splitSections = (
  lines: readonly string[],
  front: number,
  headings: ReadonlyMap<number, Heading>,
): Section[] => {
  const sections: Section[] = [{ first: 0, end: lines.length, trail: [] }]
  let trail: Heading[] = []
  let bodyFrom = front
  for (const [line, heading] of headings) {
    trail = [...trail.filter(({ level }) => level < heading.level), heading]
    const last = sections.at(-1) as Section
    const isEmpty = lines.slice(bodyFrom, line).every((text) => text.trim() === '')
    if (isEmpty) last.trail = trail
    else {
      last.end = line
      sections.push({ first: line, end: lines.length, trail })
    }
    bodyFrom = heading.end
  }
  return sections
}

const splitPieces = (
  lines: readonly string[],
  isGap: readonly boolean[],
  section: Omit<Section, 'trail'>,
): Piece[] => {
  const groups: Block[] = []
  for (const block of splitBlocks(lines, isGap, section).flatMap((whole) => fittingBlocks(lines, whole))) {
    const last = groups.at(-1)
    if (last && last.tokens + block.tokens <= MOST_TOKENS) {
      last.end = block.end
      last.tokens += block.tokens
    } else groups.push({ ...block })
  }
  return groups.flatMap(({ first, end, tokens }) => {
    const text = lines.slice(first, end).join('\n')
    return tokens > MOST_TOKENS
      ? cutLine(text).map((piece) => ({ first, end, text: piece }))
      : [{ first, end, text: text.toWellFormed() }]
  })
}

const toBlock = (lines: readonly string[], first: number, end: number): Block => ({
  first,
  end,
  tokens: lines.slice(first, end).reduce((sum, line) => sum + lineTokens(line), 0),
})

// An estimate of a line that is surely too long would be slow.
const lineTokens = (line: string) =>
  line.length > MOST_TOKENS * 10 ? line.length / 4 : estimateTokenCount(line) + 1

const splitBlocks = (
  lines: readonly string[],
  isGap: readonly boolean[],
  { first, end }: Omit<Section, 'trail'>,
): Block[] => {
  const blocks: Block[] = []
  let from: number | undefined
  for (let at = first; at <= end; at += 1) {
    const ends = at === end || isGap[at] === true
    if (ends && from !== undefined) blocks.push(toBlock(lines, from, at))
    if (ends) from = undefined
    else from ??= at
  }
  return blocks
}

/** A block as it is, or its lines if it is too large for a chunk. */
const fittingBlocks = (lines: readonly string[], block: Block): Block[] =>
  block.tokens <= MOST_TOKENS
    ? [block]
    : Array.from({ length: block.end - block.first }, (_, n) =>
        toBlock(lines, block.first + n, block.first + n + 1),
      ).filter(({ first }) => lines[first]?.trim() !== '')

/** The pieces of a line, cut between words where possible. */
const cutLine = (line: string): string[] => {
  const pieces: string[] = []
  for (let from = 0; from < line.length; ) {
    const end = from + lengthOfPiece(line.slice(from, from + LONGEST_PIECE + 1))
    const piece = line.slice(from, end).trim()
    if (piece !== '') pieces.push(piece.toWellFormed())
    from = end
  }
  return pieces
}

const lengthOfPiece = (text: string): number => {
  if (text.length <= LONGEST_PIECE) return text.length
  const space = text.lastIndexOf(' ')
  return space > LONGEST_PIECE / 2 ? space : cutText(text, LONGEST_PIECE).length
}
