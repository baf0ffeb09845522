import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { AgentResult, EarlierTurns } from '../../../lib/ports/agent.ts'
import { startCodeHost } from '../../fakes/code-host.ts'
import { call, type Given, runHosted, TOKEN } from '../../fakes/hosted-run.ts'
import { createWorkbench } from '../../fakes/workbench.ts'

const NAME = 'task_1-1'

/** A repository of a code host, and threads of turns of the coding agent on it. */
export const openThreads = async () => {
  const bench = await createWorkbench()
  const host = await startCodeHost(await mkdtemp(join(bench.folder, 'host-')), {
    tokens: { [TOKEN]: { scopes: 'repo', mayRead: true, mayPush: true } },
  })

  /** A first turn, and those after it, each with what the one before has left. */
  const openThread = () => {
    let number = 0
    let last: AgentResult | undefined
    const turn = async (given: Given = {}, more: Partial<EarlierTurns> = {}, attempt = 1) => {
      if (attempt === 1) number += 1
      const previous = { id: `task_${number - 1}`, title: 'Before', status: 'completed' }
      const continuation = last?.continuation && {
        continuation: JSON.parse(JSON.stringify(last.continuation)),
      }
      const earlier = { previous, since: [], ...continuation, ...more }
      const done = await runHosted(bench, host, {
        ...given,
        attempt,
        about: { id: `task_${number}`, threadId: 'task_1', prompt: `Turn ${number}`, ...given.about },
        ...(number > 1 && { context: { workspace: NAME, earlier } }),
      })
      last = done.result ?? last
      return done
    }
    return { turn, gone: () => rm(join(bench.dir, NAME), { recursive: true }) }
  }

  return {
    host,
    openThread,
    /** What a file of the pushed branch has. */
    at: (path: string) => host.git('show', `agent/task_1:${path}`),
    [Symbol.asyncDispose]: async () => {
      await host[Symbol.asyncDispose]()
      await bench[Symbol.asyncDispose]()
    },
  }
}
export type Threads = Awaited<ReturnType<typeof openThreads>>

export const asked = ({ models }: Awaited<ReturnType<typeof runHosted>>) => models.requests[0]?.messages ?? []
export const lastAsked = (done: Awaited<ReturnType<typeof runHosted>>) => asked(done).at(-1)?.content ?? ''
export const write = (path: string, content: string) => call('write_file', { path, content })

export type Changes = { filesChanged: readonly { path: string }[] }
export const paths = (files: readonly { path: string }[] = []) => files.map(({ path }) => path)
