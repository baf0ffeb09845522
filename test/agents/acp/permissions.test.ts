import type { PermissionOptionKind, ToolCallUpdate } from '@agentclientprotocol/sdk'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createDecide } from '../../../lib/adapters/agents/acp/permissions.ts'
import { createClock } from '../../../lib/adapters/node/clock.ts'
import { openSqliteStore } from '../../../lib/adapters/sqlite/store.ts'
import { collections } from '../../../lib/collections.ts'
import { createRecordedApprovals } from '../../../lib/composition/security.ts'
import { createMasker } from '../../../lib/core/masker.ts'
import type { SecurityMode } from '../../../lib/core/security-mode.ts'
import type { Clock } from '../../../lib/ports/clock.ts'
import type { Toolbox } from '../../../lib/ports/tool.ts'
import { agentCalls } from '../../../lib/tools/builtin/agent-calls.ts'
import { createToolRunner } from '../../../lib/tools/runner.ts'
import { createFakeIds } from '../../fakes/ids.ts'
import { createFakeLog } from '../../fakes/log.ts'
import { until } from '../../fakes/until.ts'
import { createWorkbench, type Workbench } from '../../fakes/workbench.ts'

const ANN = { userId: 'user_ann', role: 'user' } as const
const OPTIONS = [
  { optionId: 'always', name: 'Always', kind: 'allow_always' },
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
] as const

let bench: Workbench
beforeAll(async () => {
  bench = await createWorkbench()
})
afterAll(() => bench[Symbol.asyncDispose]())

/** Answers to permissions, as a run gives them. */
const openDecide = (toolbox: Toolbox, clock: Clock) => {
  const denied: string[] = []
  const decide = createDecide({
    toolbox,
    clock,
    denied,
    deniedIds: new Set(),
    undecided: new Map(),
    waitFor: (_call, work) => work(),
  })
  const ask = async (toolCall: ToolCallUpdate, offers?: readonly PermissionOptionKind[]) => {
    const options = OPTIONS.filter(({ kind }) => offers?.includes(kind) ?? true)
    const { outcome } = await decide({ sessionId: 's', toolCall, options }, new AbortController().signal)
    return 'optionId' in outcome ? outcome.optionId : outcome.outcome
  }
  return { ask, denied }
}

describe('the answer to a permission', () => {
  type Asked = Partial<ToolCallUpdate> & {
    path?: string
    command?: string
    offers?: PermissionOptionKind[]
  }
  const write = 'agent_edit Write a.txt'
  it.each<[string, SecurityMode, Asked, string | undefined]>([
    ['an edit in mode full', 'full', {}, undefined],
    ['an edit in mode sandbox', 'sandbox', {}, write],
    ['a read in mode ask', 'ask', { kind: 'read' }, undefined],
    ['a command in mode deny', 'deny', { kind: 'execute' }, 'agent_execute Write a.txt'],
    ['an unknown kind in mode sandbox', 'sandbox', { kind: 'other' }, 'agent_other Write a.txt'],
    ['one that offers only to allow for ever', 'full', { offers: ['allow_always'] }, write],
    [
      'a title for terminals',
      'deny',
      { kind: 'execute', title: '\u001b[2J\u0007\u202eWrite\r\n a.txt' },
      'agent_execute [2J \u202eWrite a.txt',
    ],
    ['a file outside of the workspace', 'full', { path: '../b.txt' }, write],
    ['a line of a shell', 'full', { kind: 'execute', command: 'cd . && ls 2>/dev/null >a.txt' }, undefined],
    [
      'a line of a shell that names credentials',
      'full',
      { kind: 'execute', command: 'KEY=$(cat<.env) npm test' },
      'agent_execute Write a.txt',
    ],
  ])('follows the mode and the guards: %s', async (_title, mode, asked, refused) => {
    const { path = 'a.txt', command, offers, ...call } = asked
    const workspace = await bench.workspaces.open('guarded')
    const toolbox = createToolRunner({ tools: agentCalls, clock: bench.clock })({
      ...{ mode, workspace, userId: ANN.userId, taskId: 'task_1', awaited: true },
    })
    const { ask, denied } = openDecide(toolbox, bench.clock)
    const given = { locations: [{ path }], rawInput: { path, command }, ...call }
    const answer = await ask({ toolCallId: 'one', title: 'Write a.txt', kind: 'edit', ...given }, offers)
    const no = offers ? 'cancelled' : 'no'
    expect([answer, denied]).toEqual(refused === undefined ? ['yes', []] : [no, [refused]])
  })
})

it('Of two permissions for the same call at the same time each waits for a decision of its own', async () => {
  // A run looks for the decision at once, not after a second.
  const clock = { ...createClock(), after: (_ms: number, call: () => void) => createClock().after(1, call) }
  const store = openSqliteStore({ file: ':memory:', collections, clock })
  const needs = { store, clock, ids: createFakeIds(clock), log: createFakeLog(), masker: createMasker([]) }
  const approvals = createRecordedApprovals(needs)
  const toolbox = createToolRunner({ tools: agentCalls, clock, approvals })({
    mode: 'ask',
    userId: ANN.userId,
    taskId: 'task_1',
    awaited: true,
    workspace: await bench.workspaces.create('task_1-1'),
  })
  const { ask, denied } = openDecide(toolbox, clock)
  const askToTest = (toolCallId: string) =>
    ask({ toolCallId, title: 'npm test', kind: 'execute', rawInput: { command: 'npm test' } })

  const answers = Promise.all([askToTest('call_1'), askToTest('call_2')])
  const decided = new Set<string>()
  while (decided.size < 2) {
    await until(async () => (await approvals.list(ANN)).length === 1)
    const [waiting] = await approvals.list(ANN)
    decided.add((await approvals.decide(ANN, waiting?.id ?? '', 'allow-once')).id)
  }
  expect(await answers).toEqual(['yes', 'yes'])
  expect(denied).toEqual([])
  await store.close()
})
