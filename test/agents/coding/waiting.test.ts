import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Toolbox, ToolSession } from '../../../lib/ports/tool.ts'
import { createAgentOn } from '../../fakes/coding-agent.ts'
import { createScriptedModels } from '../../fakes/scripted-models.ts'
import { createWorkbench, type Workbench } from '../../fakes/workbench.ts'

let bench: Workbench
beforeAll(async () => {
  bench = await createWorkbench()
})
afterAll(() => bench[Symbol.asyncDispose]())

/** Real tools, of which `run_command` waits until it is approved. */
const askingTools = () => {
  const open = bench.runner()
  let isApproved = false
  const needs = (name: string) => name === 'run_command' && !isApproved
  const openTools = (session: ToolSession): Toolbox => {
    const toolbox = open(session)
    return {
      ...toolbox,
      call: async (call, signal) =>
        needs(call.name)
          ? { content: '', failed: false, decision: 'pending', durationMs: 0, approvalId: 'appr_1' }
          : toolbox.call(call, signal),
    }
  }
  const approve = () => {
    isApproved = true
  }
  return { openTools, approve }
}

const script = [
  { calls: [{ name: 'write_file', arguments: { path: 'a.txt', content: 'one\n' } }] },
  {
    calls: [
      { name: 'write_file', arguments: { path: 'b.txt', content: 'two\n' } },
      { name: 'run_command', arguments: { command: 'cp', args: ['a.txt', 'c.txt'] } },
    ],
  },
  { text: 'Done' },
]

describe('a run of the coding agent that waits for approval', () => {
  it.each([
    ['in the workspace that it left', false],
    ['in one that is built anew, where that is gone', true],
  ])('goes on %s', async (_where, isGone) => {
    const { openTools, approve } = askingTools()
    const models = createScriptedModels(script)
    const { execute, observed } = createAgentOn(bench, models, { openTools })
    const waiting = await execute({ id: `task_${isGone}` })
    expect(waiting).toMatchObject({ waitingFor: 'approval', message: 'Waiting for approval of run_command' })
    if (!('checkpoint' in waiting)) throw new Error('It does not wait')
    // As it is stored.
    const checkpoint = JSON.parse(JSON.stringify(waiting.checkpoint))
    if (isGone) await rm(join(bench.dir, `task_${isGone}-1`), { recursive: true })
    approve()
    const result = await execute({ id: `task_${isGone}` }, { checkpoint })
    expect(result).toMatchObject({
      success: true,
      output: 'Done',
      steps: 3,
      toolCalls: 3,
      usage: { totalTokens: 45 },
      filesChanged: ['a.txt', 'b.txt', 'c.txt'].map((path) => ({ path, status: 'added' })),
    })
    expect(models.requests).toHaveLength(3)
    // No call was made twice.
    const made = observed.flatMap((event) => (event.type === 'tool:result' ? event.call.name : []))
    expect(made).toEqual(['write_file', 'write_file', 'run_command'])
  })

  it.each([
    [1, { success: true, cost: { usd: 1.5, source: 'price' } }],
    [0.25, { success: true, cost: { usd: 1.5, source: 'price' } }],
    [0, { code: 'cost_limit_reached' }],
  ])('tells only what it cost since, and may cost %d more', async (costLimitUsd, expected) => {
    const { openTools, approve } = askingTools()
    const models = createScriptedModels(
      script.map((step) => ({ ...step, cost: { usd: 0.5, source: 'price' } })),
    )
    const about = { id: `task_cost_${costLimitUsd * 100}` }
    const before = createAgentOn(bench, models, { openTools })
    const waiting = await before.execute(about)
    if (!('checkpoint' in waiting)) throw new Error('It does not wait')
    approve()
    const after = createAgentOn(bench, models, { openTools })
    const checkpoint = waiting.checkpoint as object
    const ended = await after.execute(about, { checkpoint, costLimitUsd }).catch((thrown: unknown) => thrown)
    expect(ended).toMatchObject(expected)
    expect([...before.costs, ...after.costs].map(({ usd }) => usd)).toEqual(
      costLimitUsd === 0 ? [0.5, 1] : [0.5, 1, 0.5],
    )
  })

  it.each([
    // The answer of the next step is whole, and the last that the budget allows.
    [995, { success: true, usage: { totalTokens: 1_010 } }],
    [1_000, { success: false, retryable: false, output: expect.stringContaining('limit of 1000 tokens') }],
  ])('has the rest of its budget after %d tokens', async (totalTokens, expected) => {
    const { openTools, approve } = askingTools()
    const { execute } = createAgentOn(bench, createScriptedModels(script), { openTools, maxBudget: 1_000 })
    const about = { id: `task_${totalTokens}`, metadata: { maxBudget: 1_000 } }
    const waiting = await execute(about)
    if (!('checkpoint' in waiting)) throw new Error('It does not wait')
    const usage = { promptTokens: 900, completionTokens: totalTokens - 900, totalTokens }
    approve()
    const checkpoint = { ...(waiting.checkpoint as object), usage }
    expect(await execute(about, { checkpoint })).toMatchObject(expected)
  })

  it.each([
    [undefined, 5_000, 5_000],
    [60_000, 5_000, 60_000],
    [0, 5_000, 0],
    [undefined, undefined, 0],
  ])(
    'asks with the time of its task (%p), else that of the service (%p)',
    async (approvalTtlMs, ofAll, given) => {
      const { openTools } = askingTools()
      const sessions: ToolSession[] = []
      const { execute } = createAgentOn(bench, createScriptedModels(script), {
        openTools: (session) => {
          sessions.push(session)
          return openTools(session)
        },
        ...(ofAll === undefined ? {} : { approvalTtlMs: ofAll }),
      })
      await execute({ id: `task_ttl_${approvalTtlMs}_${ofAll}`, metadata: { approvalTtlMs } })
      expect(sessions).toMatchObject([{ approvalTtlMs: given }])
    },
  )

  it.each([[-1], ['never'], [1.5], [366 * 86_400_000]])(
    'refuses %p as the time of an approval',
    async (approvalTtlMs) => {
      const { run } = createAgentOn(bench, createScriptedModels([{ text: 'Ok' }]))
      await expect(run({ metadata: { approvalTtlMs } })).rejects.toMatchObject({
        code: 'approval_ttl_invalid',
        retryable: false,
      })
    },
  )

  it.each([[0], ['many'], [1.5]])('refuses %p as a budget', async (maxBudget) => {
    const { run } = createAgentOn(bench, createScriptedModels([{ text: 'Ok' }]))
    await expect(run({ metadata: { maxBudget } })).rejects.toMatchObject({
      code: 'max_budget_invalid',
      retryable: false,
    })
  })

  it('is not tried again once its budget is spent', async () => {
    const { run } = createAgentOn(bench, createScriptedModels([script[0] ?? {}]), {
      maxBudget: 30,
      maxSteps: 9,
    })
    expect(await run()).toMatchObject({ success: false, retryable: false, steps: 2 })
  })
})
