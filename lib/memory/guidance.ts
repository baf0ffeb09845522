import { clipped } from '../core/clipped.ts'
import { messageOf } from '../core/errors.ts'
import type { AgentTask, Guidance } from '../ports/agent.ts'
import type { Log } from '../ports/log.ts'
import type { createExperiences } from './experiences.ts'
import { type createSearch, plainChunk } from './search.ts'

/** What an agent is given before it begins; it searches for more itself. */
const MOST_CHUNKS = 3
const MOST_EXPERIENCES = 3
/** What says less of the task than this is left out: it would take the agent's time. */
const LEAST_SCORE = 0.1
/** What of a task memory is asked about: its title, and how its prompt begins. */
const LONGEST_QUESTION = 400
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
  guide: async ({ title, prompt = '' }: Pick<AgentTask, 'title' | 'prompt'>): Promise<Guidance> => {
    const query = `${title}\n${prompt}`.slice(0, LONGEST_QUESTION).toWellFormed()
    try {
      const [{ chunks }, { experiences: learned }] = await Promise.all([
        search({ query, maxResults: MOST_CHUNKS, minScore: LEAST_SCORE }),
        experiences.search({ q: query, limit: MOST_EXPERIENCES }),
      ])
      return {
        chunks: chunks.map(plainChunk),
        experiences: learned.filter(({ score }) => score >= LEAST_SCORE),
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

const filesIn = (changed: unknown): string[] =>
  Array.isArray(changed)
    ? changed
        .flatMap((file: { path?: unknown }) => (typeof file?.path === 'string' ? [file.path] : []))
        .slice(0, MOST_FILES)
    : []
