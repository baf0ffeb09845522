import * as path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from '@jest/globals'
import { createAcpAgent } from '../../../lib/adapters/agents/acp/agent.ts'
import type { AcpProgram } from '../../../lib/adapters/agents/acp/catalog.ts'
import type { Brokered } from '../../../lib/adapters/agents/broker/run.ts'
import { searchProgram } from '../../../lib/adapters/agents/programs.ts'
import { createRepositories } from '../../../lib/adapters/node/repositories.ts'
import type { Cost } from '../../../lib/core/cost.ts'
import type { SecurityMode } from '../../../lib/core/security-mode.ts'
import type { AgentContext, AgentResult } from '../../../lib/ports/agent.ts'
import type { Clock } from '../../../lib/ports/clock.ts'
import type { LoopEvent, Toolbox } from '../../../lib/ports/tool.ts'
import { agentCalls } from '../../../lib/tools/builtin/agent-calls.ts'
import { createToolRunner } from '../../../lib/tools/runner.ts'
import type { FakeClock } from '../../fakes/clock.ts'
import { task } from '../../fakes/coding-agent.ts'
import { compiled } from '../../fakes/compiled.ts'
import { openScriptedProvider } from '../../fakes/scripted-provider.ts'
import { countSleeping } from '../../fakes/sleeping-processes.ts'
import { until } from '../../fakes/until.ts'
import { createWorkbench, type Workbench } from '../../fakes/workbench.ts'
import type { Act } from '../../fixtures/acp/agent.ts'

/** Of the project, which a scripted agent in a sandbox reads. */
export const PROJECT = path.resolve(import.meta.dirname, '../../..')
const fixture = path.join(PROJECT, 'test/fixtures/acp/agent.ts')

export type RunOptions = {
  start?: string
  program?: Partial<AcpProgram>
  mode?: SecurityMode
  clock?: Clock
  signal?: AbortSignal
  on?: Workbench
  needs?: {
    missingSettings?: () => readonly string[]
    openPermissions?: () => Toolbox
    brokered?: () => Promise<Brokered>
  }
  costLimitUsd?: number
}

/** Permissions that nobody answers. */
export const undecided: Toolbox = {
  specs: [],
  title: ({ name }) => name,
  call: async () => ({
    content: '',
    failed: true,
    decision: 'pending',
    durationMs: 0,
    approvalId: 'approval_1',
  }),
  ask: async () => undefined,
  isDecided: async () => false,
}

export const updateLine = (update: object, sessionId = 'session_1') =>
  JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId, update } })
/** A line in which the agent says something. */
export const chunk = (text: string, sessionId?: string) =>
  updateLine({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } }, sessionId)

export const permissionRequest = {
  jsonrpc: '2.0',
  id: 7,
  method: 'session/request_permission',
  params: { sessionId: 'session_1', toolCall: { toolCallId: 'one' }, options: [] },
}

export const texts = (events: readonly LoopEvent[]): string =>
  events.flatMap((event) => (event.type === 'text' ? [event.text] : [])).join('')

export const write = (more: Partial<Act> = {}): Act => ({
  act: 'write',
  path: 'a.txt',
  text: 'new\n',
  ...more,
})

/** A provider that answers each call with a million tokens, which cost 3 dollars each. */
export const openModels = (model = 'claude-x') =>
  openScriptedProvider(
    (_, response) => {
      const body = JSON.stringify({ model, usage: { input_tokens: 1_000_000, output_tokens: 0 } })
      response.writeHead(200, { 'content-type': 'application/json' }).end(body)
    },
    { price },
  )

/** Prices that do not change with the data of a package. */
export const price: Brokered['price'] = ({ model, usage }) =>
  model.startsWith('claude') ? (usage.input * 3) / 1e6 : null

/** Runs of scripted agents over ACP, without a sandbox or in one. */
export const openAcpRuns = async () => {
  const bench = await createWorkbench()
  const sandboxed = await createWorkbench({ sandboxed: true })

  let runs = 0
  let marks = 0
  const openAgent = ({ start = 'normal', program, mode = 'full', clock, on = bench, needs }: RunOptions) => {
    const time = clock ?? on.clock
    const described: AcpProgram = {
      type: 'scripted',
      name: 'Scripted',
      command: process.execPath,
      args: [fixture, start],
      env: compiled,
      providers: [],
      ...program,
    }
    return createAcpAgent(described, {
      ...on,
      search: searchProgram(described.command, { PATH: '', privateFolders: [] }),
      clock: time,
      openPermissions: createToolRunner({ tools: agentCalls, clock: time }),
      repositories: createRepositories({ clock: time, allow: [], roots: [] }),
      isLocalAdmin: () => true,
      securityMode: () => mode,
      ...needs,
    })
  }

  const open = (script: readonly Act[], options: RunOptions = {}, given: Partial<AgentContext> = {}) => {
    runs += 1
    const observed: LoopEvent[] = []
    const progress: string[] = []
    const costs: Cost[] = []
    const agent = openAgent(options)
    const context: AgentContext = {
      signal: options.signal ?? new AbortController().signal,
      attempt: 1,
      workspace: `acp_${runs}-1`,
      progress: (line) => void progress.push(line),
      keepSecret: () => undefined,
      observe: (event) => void observed.push(event),
      waitFor: (_call, work) => work(),
      spent: (cost) => void costs.push(cost),
      ...(options.costLimitUsd && { costLimitUsd: options.costLimitUsd }),
      run: () => Promise.reject(new Error('not here')),
      ...given,
    }
    const about = { id: given.workspace ?? `acp_${runs}`, title: 'Script', prompt: JSON.stringify(script) }
    const result = agent.execute(task(about), context) as Promise<AgentResult>
    result.catch(() => undefined)
    return { result, observed, progress, costs }
  }

  /** An attempt that is stopped once it has done its act. */
  const interrupted = async (workspace: string, act = write()) => {
    const stop = new AbortController()
    const { result, observed } = open(
      [act, { act: 'wait', ms: 60_000 }],
      { signal: stop.signal },
      { workspace },
    )
    await until(() => observed.some(({ type }) => type === 'tool:result' || type === 'text'))
    stop.abort(new Error('lost'))
    await expect(result).rejects.toThrow('lost')
  }

  /** A time to sleep that no other process has: as its argument, it names the process. */
  const sleepMark = () => {
    marks += 1
    return `600.${process.pid}${marks}`
  }

  /** Cancels a run that has left a process, and waits until that has ended. */
  const expectStop = async (script: readonly Act[]) => {
    const stop = new AbortController()
    const mark = sleepMark()
    const leave: Act = { act: 'leave', text: `sleep ${mark}` }
    const needs = { openPermissions: () => undecided }
    const options = { signal: stop.signal, on: sandboxed, program: { reads: [PROJECT] }, needs }
    const { result } = open([leave, ...script], options)
    await until(() => countSleeping(mark) > 0)
    stop.abort(new Error('cancelled'))
    await expect(result).rejects.toThrow('cancelled')
    // The system ends the processes of a sandbox after it.
    await until(() => countSleeping(mark) === 0)
  }

  return {
    bench,
    sandboxed,
    openAgent,
    open,
    interrupted,
    sleepMark,
    expectStop,
    [Symbol.asyncDispose]: async () => {
      await bench[Symbol.asyncDispose]()
      await sandboxed[Symbol.asyncDispose]()
    },
  }
}
export type AcpRuns = Awaited<ReturnType<typeof openAcpRuns>>

/** Lets an agent that stays use up its time to end. */
export const untilOver = async (result: Promise<unknown>, clock: FakeClock) => {
  let over = false
  const end = () => {
    over = true
  }
  result.then(end, end)
  while (!over) {
    await sleep(20)
    clock.advance(1_000)
  }
}
