import { clipped, cutText } from '../core/cut-text.ts'
import { errorMessage } from '../core/errors.ts'
import type { Principal } from '../core/principal.ts'
import type { AgentTask, Guidance } from '../ports/agent.ts'
import type { Log } from '../ports/log.ts'
import { filesIn, shownChunk } from './contents.ts'
import type { createExperiences } from './experiences.ts'
import type { IndexCache } from './index-cache.ts'
import type { CheckOwnConversation, MemoryChunk, SearchMethod } from './schema.ts'
import { type createSearch, plainChunk } from './search.ts'

/** The most chunks that an agent gets before it begins; it can search for more. */
const MOST_CHUNKS = 3
const MOST_EXPERIENCES = 3
/**
 * The lowest score of guidance: less relevant chunks would only cost the agent time. A hybrid score depends on ranks in
 * two lists, which always have a first; half is a match in both lists, or the first rank in one.
 */
const LEAST_SCORE: Readonly<Record<SearchMethod, number>> = { lexical: 0.1, hybrid: 0.5 }
/** The lowest score of an experience, which success, use and age reduce: a new one keeps more than half. */
const LEAST_OF_EXPERIENCE = 0.05
const LONGEST_QUESTION = 300
const LONGEST_OUTPUT = 8_000
const MOST_FILES = 50
const MOST_TAGS = 20

type Search = ReturnType<typeof createSearch>
type Needs = {
  search: Search
  experiences: Pick<ReturnType<typeof createExperiences>, 'search' | 'record'>
  log: Pick<Log, 'warn'>
}
type Done = Pick<AgentTask, 'id' | 'title' | 'repository' | 'labels' | 'createdBy'> & { agent: string }
type Result = { output: string; filesChanged?: unknown }

/** Guidance from memory for tasks before they run, and experiences from tasks that are done. */
export const createGuidance = ({ search, experiences, log }: Needs) => ({
  /** Never rejects: a task also runs without guidance. */
  guide: async (task: Pick<AgentTask, 'title' | 'prompt'>): Promise<Guidance> => {
    const questions = taskQuestions(task)
    try {
      const [chunks, learned] = await Promise.all([
        Promise.all(questions.map((query) => search({ query, maxResults: MOST_CHUNKS }))),
        Promise.all(questions.map((q) => experiences.search({ q, limit: MOST_EXPERIENCES }))),
      ])
      return {
        chunks: bestHits(
          chunks.flatMap((found) => found.chunks.filter(({ score }) => score >= LEAST_SCORE[found.method])),
        )
          .slice(0, MOST_CHUNKS)
          .map(plainChunk),
        experiences: bestHits(learned.flatMap((found) => found.experiences))
          .filter(({ score }) => score >= LEAST_OF_EXPERIENCE)
          .slice(0, MOST_EXPERIENCES),
      }
    } catch (thrown) {
      log.warn({ reason: errorMessage(thrown) }, 'a task begins without memory, which cannot be read')
      return { chunks: [], experiences: [] }
    }
  },

  /** Records the result of a task as an experience for similar tasks. */
  learn: async (task: Done, { output, filesChanged }: Result): Promise<void> => {
    const files = changedFiles(filesChanged)
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

/** The title of a task, and the first sentence of its prompt: no text matches a good share of a long prompt. */
const taskQuestions = ({ title, prompt = '' }: Pick<AgentTask, 'title' | 'prompt'>): string[] => {
  const [sentence = ''] = prompt.trim().split(/(?<=[.!?])\s|\n/, 1)
  const questions = [title, sentence].map((text) => cutText(text, LONGEST_QUESTION).trim())
  return [...new Set(questions)].filter((text) => text !== '')
}

/** The results of several questions, each once with its best score, best first. */
const bestHits = <T extends { id: string; score: number }>(found: readonly T[]): T[] => {
  const best = new Map<string, T>()
  for (const hit of found) if (hit.score > (best.get(hit.id)?.score ?? -1)) best.set(hit.id, hit)
  return [...best.values()].sort((a, b) => b.score - a.score)
}

const changedFiles = (changed: unknown): string[] =>
  Array.isArray(changed)
    ? changed
        .flatMap((file: { path?: unknown }) => (typeof file?.path === 'string' ? [file.path] : []))
        .slice(0, MOST_FILES)
    : []

const MOST_WARM = 6

type WarmNeeds = {
  indexCache: IndexCache
  search: Search
  readNames: (conversationId: string) => Promise<string[]>
  checkOwnConversation: CheckOwnConversation
}
type WarmRequest = { query?: string | undefined; conversationId?: string | undefined }

/** Loads memory, and returns chunks for the question, else for the names of the sessions, else of the latest files. */
export const createWarm = ({ indexCache, search, readNames, checkOwnConversation }: WarmNeeds) => {
  const latest = async (): Promise<MemoryChunk[]> => {
    const { contents } = await indexCache.searchable()
    return filesIn(contents)
      .sort((a, b) => (a.updatedAt > b.updatedAt ? -1 : 1))
      .slice(0, MOST_WARM)
      .flatMap(({ path, chunks }) => chunks.slice(0, 1).map((chunk) => shownChunk(path, chunk)))
  }

  const matching = async (query: string): Promise<MemoryChunk[]> =>
    (await search({ query, maxResults: MOST_WARM })).chunks.map(plainChunk)

  return async (principal: Principal, { query, conversationId }: WarmRequest) => {
    if (conversationId !== undefined) await checkOwnConversation(principal, conversationId)
    const isByNames = query === undefined && conversationId !== undefined
    const names = isByNames ? await readNames(conversationId) : []
    const question = query ?? names.join(' ')
    const hits = question === '' ? [] : await matching(question)
    const chunks = hits.length > 0 || query !== undefined ? hits : await latest()
    const those = chunks.length === 1 ? '1 chunk is' : `${chunks.length} chunks are`
    return { message: `Memory is loaded. ${those} relevant`, chunks }
  }
}
