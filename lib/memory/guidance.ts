import { clipped } from '../core/clipped.ts'
import { messageOf } from '../core/errors.ts'
import type { AgentTask, Guidance } from '../ports/agent.ts'
import type { Log } from '../ports/log.ts'
import type { createExperiences } from './experiences.ts'
import type { SearchMethod } from './schema.ts'
import { type createSearch, plainChunk } from './search.ts'

/** What an agent is given before it begins; it searches for more itself. */
const MOST_CHUNKS = 3
const MOST_EXPERIENCES = 3
/**
 * What says less of the task than this is left out: it would take the agent's time. Where meaning is searched as well, scores are of
 * places in two lists, in which something always comes first; half is what both have, or what is first in one.
 */
const LEAST_SCORE: Readonly<Record<SearchMethod, number>> = { lexical: 0.1, hybrid: 0.5 }
/** Of an experience, whose score is less for its success, use and age: more than half of it is left to a new one. */
const LEAST_OF_EXPERIENCE = 0.05
const LONGEST_QUESTION = 300
const LONGEST_OUTPUT = 8_000
const MOST_FILES = 50
const MOST_TAGS = 20

type Needs = {
  search: ReturnType<typeof createSearch>
  experiences: Pick<ReturnType<typeof createExperiences>, 'search' | 'record'>
  log: Pick<Log, 'warn'>
}
type Done = Pick<AgentTask, 'id' | 'title' | 'repository' | 'labels' | 'createdBy'> & { agent: string }
type Result = { output: string; filesChanged?: unknown }

/** What memory gives to tasks before they are worked on, and takes from those that are done. */
export const createGuidance = ({ search, experiences, log }: Needs) => ({
  /** Never rejects: a task is done without memory, too. */
  guide: async (task: Pick<AgentTask, 'title' | 'prompt'>): Promise<Guidance> => {
    const questions = questionsOf(task)
    try {
      const [chunks, learned] = await Promise.all([
        Promise.all(questions.map((query) => search({ query, maxResults: MOST_CHUNKS }))),
        Promise.all(questions.map((q) => experiences.search({ q, limit: MOST_EXPERIENCES }))),
      ])
      return {
        chunks: bestOf(
          chunks.flatMap((found) => found.chunks.filter(({ score }) => score >= LEAST_SCORE[found.method])),
        )
          .slice(0, MOST_CHUNKS)
          .map(plainChunk),
        experiences: bestOf(learned.flatMap((found) => found.experiences))
          .filter(({ score }) => score >= LEAST_OF_EXPERIENCE)
          .slice(0, MOST_EXPERIENCES),
      }
    } catch (thrown) {
      log.warn({ reason: messageOf(thrown) }, 'a task begins without memory, which cannot be read')
      return { chunks: [], experiences: [] }
    }
  },

  /** Records what a task that is done came to, for the next one that is like it. */
  learn: async (task: Done, { output, filesChanged }: Result): Promise<void> => {
    const files = filesIn(filesChanged)
    const solution = [
      clipped(output, LONGEST_OUTPUT),
      ...(files.length > 0 ? [`Files: ${files.join(', ')}`] : []),
    ]
    if (output.trim() === '') return
    await experiences.record({
      type: 'task_solution',
      intent: task.title.trim(),
      solution: solution.join('\n\n'),
      successScore: 0.5,
      tags: [...new Set([task.agent, ...task.labels])].slice(0, MOST_TAGS),
      sourceTaskId: task.id,
      createdBy: task.createdBy,
    })
  },
})

/**
 * What memory is asked about a task: its title, and the first sentence of its prompt. All words of a long prompt at once ask
 * for so much that nothing has a good part of it.
 */
const questionsOf = ({ title, prompt = '' }: Pick<AgentTask, 'title' | 'prompt'>): string[] => {
  const [sentence = ''] = prompt.trim().split(/(?<=[.!?])\s|\n/, 1)
  const asked = [title, sentence].map((text) => text.slice(0, LONGEST_QUESTION).toWellFormed().trim())
  return [...new Set(asked)].filter((text) => text !== '')
}

/** What several questions found, each once with its best score, the best first. */
const bestOf = <T extends { id: string; score: number }>(found: readonly T[]): T[] => {
  const best = new Map<string, T>()
  for (const hit of found) if (hit.score > (best.get(hit.id)?.score ?? -1)) best.set(hit.id, hit)
  return [...best.values()].sort((a, b) => b.score - a.score)
}

const filesIn = (changed: unknown): string[] =>
  Array.isArray(changed)
    ? changed
        .flatMap((file: { path?: unknown }) => (typeof file?.path === 'string' ? [file.path] : []))
        .slice(0, MOST_FILES)
    : []
