import MiniSearch from 'minisearch'
import { chunkMarkdown } from '../../../lib/memory/chunker.ts'
import { type Contents, contentsOf } from '../../../lib/memory/contents.ts'
import type { StoredChunk } from '../../../lib/memory/rows.ts'
import type { Document } from './corpus.ts'
import { KINDS, type Kind, QUESTIONS, type Question } from './questions.ts'

/** How many chunks are offered to who asks. */
export const OFFERED = 6

export type Finds = (question: Question) => Promise<readonly string[]> | readonly string[]
/** The share of questions of a kind that had their chunk among those offered. */
export type Recall = Record<Kind, number>

/** What memory holds of documents once they are taken in. */
export const taken = (documents: readonly Document[]): Contents =>
  contentsOf(
    documents.map(({ path, text }) => ({
      path,
      tag: '',
      hash: '',
      size: text.length,
      updatedAt: '',
      revision: 1,
      chunks: chunkMarkdown(path, text),
    })),
  )

/** The ids of the chunks that answer a question; the most exact way in which its label names any. */
export const answersOf = ({ path, heading }: Question, contents: Contents): ReadonlySet<string> => {
  const chunks = contents.get(path)?.chunks ?? []
  const ways: ((chunk: StoredChunk) => boolean)[] = [
    (chunk) => chunk.heading === heading,
    (chunk) => chunk.heading?.startsWith(heading) === true,
    (chunk) => chunk.text.includes(heading),
  ]
  const ids = ways.map((way) => chunks.filter(way).map(({ id }) => id)).find((some) => some.length > 0)
  if (ids === undefined) throw new Error(`No chunk of ${path} answers to ${heading}`)
  return new Set(ids)
}

/** A half of the questions: those that the ranking was tuned on, or those held out. */
export type Half = 'tuned' | 'held out'
const isIn = (half: Half | undefined, at: number) =>
  half === undefined || (at % 2 === 0) === (half === 'tuned')

export const recallOf = async (finds: Finds, contents: Contents, half?: Half): Promise<Recall> => {
  const entries: [Kind, number][] = []
  for (const kind of KINDS) {
    const asked = QUESTIONS.filter((question) => question.kind === kind).filter((_, at) => isIn(half, at))
    let found = 0
    for (const question of asked) {
      const answers = answersOf(question, contents)
      const ids = await finds(question)
      if (ids.slice(0, OFFERED).some((id) => answers.has(id))) found += 1
    }
    entries.push([kind, found / asked.length])
  }
  return Object.fromEntries(entries) as Recall
}

/** What the library of search finds by itself, on the same chunks and the same three fields. */
export const plainMiniSearch = (contents: Contents): Finds => {
  const index = new MiniSearch({ fields: ['title', 'place', 'text'] })
  for (const [path, { chunks }] of contents)
    for (const { id, heading = '', trail = [], text } of chunks)
      index.add({ id, title: heading, place: `${path} ${trail.join(' ')}`, text })
  return ({ query }) => index.search(query).map(({ id }) => String(id))
}
