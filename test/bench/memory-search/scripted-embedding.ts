import { hash } from 'node:crypto'
import type { Contents } from '../../../lib/memory/contents.ts'
import { embeddedText } from '../../../lib/memory/embed.ts'
import { ofLength1 } from '../../../lib/memory/vectors.ts'
import type { Embedding } from '../../../lib/ports/embedding.ts'
import { QUESTIONS } from './questions.ts'
import { answersOf } from './recall.ts'

export const DIMENSIONS = 384
/** The nearest of all questions to its answer. The others are anywhere between that and nowhere near. */
const NEAREST = 0.5

/** A direction of its own for each text: numbers that look drawn from a normal distribution, and are always the same. */
const directionOf = (text: string): Float32Array => {
  let state = Number.parseInt(hash('sha256', text, 'hex').slice(0, 8), 16) | 1
  // xorshift32 (Marsaglia, 2003)
  const draw = () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
  return ofLength1(Float32Array.from({ length: DIMENSIONS }, () => draw() + draw() + draw() + draw() - 2))
}

const shareOf = (text: string) => Number.parseInt(hash('sha256', text, 'hex').slice(8, 16), 16) / 2 ** 32

/**
 * A model whose quality is known, since it is made up: texts lie in all directions, a question between its answer and
 * noise. It stands for a real one in what is measured: how two lists of hits become one, and how long that takes.
 */
export const scriptedEmbedding = (contents: Contents): Embedding => {
  const texts = new Map(
    [...contents.values()].flatMap(({ chunks }) => chunks.map((chunk) => [chunk.id, embeddedText(chunk)])),
  )
  const towards = new Map(
    QUESTIONS.map((question) => [question.query, texts.get([...answersOf(question, contents)][0] ?? '')]),
  )
  const vectorOf = (text: string): Float32Array => {
    const answer = towards.get(text)
    const noise = directionOf(text)
    if (answer === undefined) return noise
    const near = NEAREST * shareOf(text)
    const target = directionOf(answer)
    return noise.map((value, n) => Math.sqrt(1 - near ** 2) * value + near * (target[n] ?? 0))
  }
  return { model: 'scripted/known', embed: async (all) => all.map(vectorOf) }
}
