import * as path from 'node:path'
import { createCommandAgent } from '../../../lib/adapters/agents/command/agent.ts'
import type { CommandProgram } from '../../../lib/adapters/agents/command/catalog.ts'
import { searchProgram } from '../../../lib/adapters/agents/programs.ts'
import { createRepositories } from '../../../lib/adapters/node/repositories.ts'
import type { AgentContext, AgentResult, AgentTask } from '../../../lib/ports/agent.ts'
import type { Clock } from '../../../lib/ports/clock.ts'
import type { LoopEvent } from '../../../lib/ports/tool.ts'
import { task } from '../../fakes/coding-agent.ts'
import { compiled } from '../../fakes/compiled.ts'
import { createWorkbench, type Workbench } from '../../fakes/workbench.ts'
import type { Act } from '../../fixtures/command/agent.ts'

/** Of the project, which a scripted command in a sandbox reads. */
export const PROJECT = path.resolve(import.meta.dirname, '../../..')
export const fixture = path.join(PROJECT, 'test/fixtures/command/agent.ts')

export type RunOptions = {
  program?: Partial<CommandProgram>
  about?: Partial<AgentTask>
  clock?: Clock
  signal?: AbortSignal
  on?: Workbench
  missingSettings?: () => readonly string[]
}

/** Runs of scripted commands, without a sandbox or in one. */
export const openCommandRuns = async () => {
  const bench = await createWorkbench()
  const sandboxed = await createWorkbench({ sandboxed: true })

  let runs = 0
  const openAgent = ({ program, clock, on = bench, missingSettings }: RunOptions) => {
    const time = clock ?? on.clock
    const described: CommandProgram = {
      type: 'scripted',
      name: 'Scripted',
      command: process.execPath,
      args: [fixture, '{prompt}'],
      parse: 'text',
      env: compiled,
      providers: [],
      ...program,
    }
    return createCommandAgent(described, {
      ...on,
      search: searchProgram(described.command, { PATH: '', privateFolders: [] }),
      clock: time,
      repositories: createRepositories({ clock: time, allow: [], roots: [] }),
      isLocalAdmin: () => true,
      ...(missingSettings && { missingSettings }),
    })
  }

  const open = (script: readonly Act[], options: RunOptions = {}) => {
    runs += 1
    const observed: LoopEvent[] = []
    const progress: string[] = []
    const agent = openAgent(options)
    const context: AgentContext = {
      signal: options.signal ?? new AbortController().signal,
      attempt: 1,
      workspace: `command_${runs}-1`,
      progress: (line) => void progress.push(line),
      keepSecret: () => undefined,
      observe: (event) => void observed.push(event),
      spent: () => undefined,
      waitFor: (_, work) => work(),
      run: () => Promise.reject(new Error('not here')),
    }
    const about = { id: `command_${runs}`, title: 'Script', prompt: JSON.stringify(script), ...options.about }
    const result = agent.execute(task(about), context) as Promise<AgentResult>
    result.catch(() => undefined)
    return { result, observed, progress }
  }

  return {
    bench,
    sandboxed,
    openAgent,
    open,
    [Symbol.asyncDispose]: async () => {
      await bench[Symbol.asyncDispose]()
      await sandboxed[Symbol.asyncDispose]()
    },
  }
}
export type CommandRuns = Awaited<ReturnType<typeof openCommandRuns>>

export const print = (text: string): Act => ({ act: 'print', text })
export const recorded = (text: string): Act => ({ act: 'recorded', text })
export const wrote: Act = { act: 'write', text: 'hi\n' }
export const parse = (kind: CommandProgram['parse']): RunOptions => ({ program: { parse: kind } })
