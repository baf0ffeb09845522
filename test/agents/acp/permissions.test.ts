import { expect, it } from '@jest/globals'
import { createDecide } from '../../../lib/adapters/agents/acp/permissions.ts'
import { createClock } from '../../../lib/adapters/node/clock.ts'
import { openSqliteStore } from '../../../lib/adapters/sqlite/store.ts'
import { collections } from '../../../lib/collections.ts'
import { createRecordedApprovals } from '../../../lib/composition/security.ts'
import { createMasker } from '../../../lib/core/masker.ts'
import { agentCalls } from '../../../lib/tools/builtin/agent-calls.ts'
import { createToolRunner } from '../../../lib/tools/runner.ts'
import { createFakeIds } from '../../fakes/ids.ts'
import { createFakeLog } from '../../fakes/log.ts'
import { until } from '../../fakes/until.ts'
import { createWorkbench } from '../../fakes/workbench.ts'

const ANN = { userId: 'user_ann', role: 'user' } as const

it('Of two permissions for the same call at the same time each waits for a decision of its own', async () => {
  await using bench = await createWorkbench()
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
  const denied: string[] = []
  const decide = createDecide({
    toolbox,
    clock,
    denied,
    undecided: new Map(),
    waitFor: (_call, work) => work(),
  })
  const ask = async (toolCallId: string) => {
    const toolCall = {
      toolCallId,
      title: 'npm test',
      kind: 'execute',
      rawInput: { command: 'npm test' },
    } as const
    const options = [
      { optionId: 'yes', name: 'Yes', kind: 'allow_once' as const },
      { optionId: 'no', name: 'No', kind: 'reject_once' as const },
    ]
    const { outcome } = await decide({ sessionId: 's', toolCall, options }, new AbortController().signal)
    return 'optionId' in outcome ? outcome.optionId : outcome.outcome
  }

  const answers = Promise.all([ask('call_1'), ask('call_2')])
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
