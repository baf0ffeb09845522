import type { AgentContext, EarlierTurn } from '../ports/agent.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import { workspaceName } from '../ports/workspace.ts'
import { isFinal } from './machine.ts'
import { continuations, tasks } from './rows.ts'
import { type TaskRow, toThreadId } from './schema.ts'
import type { createThreads } from './thread.ts'

/** The most turns that are looked through for what one of them left. */
const MOST_READ = 20

/**
 * Where a run works: its workspace, and the earlier turns of its thread. An agent that `resumes` has one workspace for all
 * attempts, in which it goes on; any other one has its own for each attempt of a first turn.
 */
export const createPlace = ({ store }: { store: Store }) => {
  const leftBy = async (taskId: string): Promise<object | undefined> => {
    const query = { index: 'ofTask', is: taskId, order: 'desc', limit: 1, detail: true } as const
    const { rows } = await store.page(continuations, query)
    const [row] = rows
    // A row whose stored state is gone is as good as none.
    return row === undefined || 'truncated' in row ? undefined : row.state
  }

  return async (row: TaskRow, resumes: boolean): Promise<Pick<AgentContext, 'workspace' | 'earlier'>> => {
    const nameFor = ({ id, attempts }: Pick<TaskRow, 'id' | 'attempts'>) =>
      workspaceName(id, resumes ? 1 : Math.max(1, attempts))
    const previous = row.parentId === undefined ? undefined : await store.get(tasks, row.parentId, true)
    if (previous === undefined) return { workspace: nameFor(row) }
    const id = toThreadId(row)
    const workspace = nameFor((await store.get(tasks, id)) ?? { id, attempts: 1 })
    const since: EarlierTurn[] = []
    let turn: TaskRow | undefined = previous
    for (let read = 0; turn !== undefined && read < MOST_READ; read++) {
      const continuation = await leftBy(turn.id)
      if (continuation !== undefined)
        return { workspace, earlier: { previous: toEarlier(previous), continuation, since } }
      since.unshift(toEarlier(turn))
      turn = turn.parentId === undefined ? undefined : await store.get(tasks, turn.parentId, true)
    }
    return { workspace, earlier: { previous: toEarlier(previous), since } }
  }
}

const toEarlier = ({ id, title, description, prompt, status, result, error }: TaskRow): EarlierTurn => ({
  id,
  title,
  description,
  prompt,
  status,
  result,
  error,
})

type Needs = {
  store: Store
  threads: Pick<ReturnType<typeof createThreads>, 'latestTurn'>
  clock: Pick<Clock, 'now'>
  workspaceTtlMs: number
}

/** Whether the workspace of a thread is kept: its last turn has not ended, or its time to live since that end is not over. */
export const createKeepsWorkspace =
  ({ store, threads, clock, workspaceTtlMs }: Needs) =>
  async (threadId: string): Promise<boolean> => {
    const first = await store.get(tasks, threadId)
    if (first === undefined) return false
    const { status, completedAt, updatedAt } = await threads.latestTurn(first)
    return !isFinal(status) || clock.now() - Date.parse(completedAt ?? updatedAt) < workspaceTtlMs
  }
