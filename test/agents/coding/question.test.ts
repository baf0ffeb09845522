import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { securityModes } from '../../../lib/core/security-mode.ts'
import type { ToolCallRecord } from '../../../lib/tools/audit.ts'
import type { Approvals } from '../../../lib/tools/authorize.ts'
import { taskTools } from '../../../lib/tools/catalog.ts'
import { createAgentOn } from '../../fakes/coding-agent.ts'
import { createScriptedModels } from '../../fakes/scripted-models.ts'
import { createWorkbench, type Workbench } from '../../fakes/workbench.ts'

let bench: Workbench
beforeAll(async () => {
  bench = await createWorkbench()
})
afterAll(() => bench[Symbol.asyncDispose]())

const QUESTION = { text: 'Which database?', options: ['PostgreSQL', 'SQLite'] }
const asking = (question: unknown = QUESTION.text, options: unknown = QUESTION.options) => ({
  name: 'ask_user',
  arguments: { question, options },
})
const writing = { name: 'write_file', arguments: { path: 'a.txt', content: 'one\n' } }

/** An agent with the tools of tasks; `records` are its calls as the audit gets them. */
const agentWith = (
  script: Parameters<typeof createScriptedModels>[0],
  more: { approvals?: Approvals } = {},
) => {
  const models = createScriptedModels(script)
  const records: ToolCallRecord[] = []
  const openTools = bench.runner({
    ...more,
    tools: taskTools(async () => []),
    onToolCall: (record) => void records.push(record),
  })
  return { ...createAgentOn(bench, models, { openTools }), models, records }
}

describe('a question of the coding agent', () => {
  it.each(securityModes)('ends the turn in mode %s, on record, without a further step', async (mode) => {
    const { run, models, records } = agentWith([
      { calls: [asking()], text: 'Both would do.' },
      { text: 'Late' },
    ])
    const result = await run({ id: `task_${mode}`, metadata: { securityMode: mode } })
    expect(result).toMatchObject({
      success: true,
      question: QUESTION,
      output: 'Both would do.\n\nWhich database?\n- PostgreSQL\n- SQLite',
    })
    expect(models.requests).toHaveLength(1)
    expect(records).toMatchObject([{ tool: 'ask_user', decision: 'allowed', failed: false }])
  })

  it('leaves the changes so far for the reply, which sees that it was asked', async () => {
    const { run } = agentWith([{ calls: [writing] }, { calls: [asking()] }])
    const { continuation, ...result } = await run({ id: 'task_left' })
    expect(result).toMatchObject({ question: QUESTION, filesChanged: [{ path: 'a.txt' }] })
    const next = agentWith([{ text: 'Done' }])
    const previous = { id: 'task_left', title: 'Write notes', status: 'completed', result }
    await next.execute(
      { id: 'task_next', threadId: 'task_left', prompt: 'SQLite' },
      { earlier: { previous, since: [], ...(continuation && { continuation }) } },
    )
    const messages = next.models.requests[0]?.messages ?? []
    expect(messages.slice(-3)).toMatchObject([
      { role: 'assistant', toolCalls: [asking()] },
      { role: 'tool', content: expect.stringContaining('The answer begins your next turn') },
      { role: 'user', content: expect.stringContaining('SQLite') },
    ])
  })

  it.each<[string, unknown, unknown]>([
    ['no text', ' ', []],
    ['a text that is too long', 'x'.repeat(2_001), []],
    ['seven options', 'Which?', Array(7).fill('a')],
    ['an option that is too long', 'Which?', ['x'.repeat(201)]],
    ['an empty option', 'Which?', ['']],
  ])('with %s is refused, and the turn goes on', async (what, question, options) => {
    const { run, models } = agentWith([{ calls: [asking(question, options)] }, { text: 'Then alone' }])
    const result = await run({ id: `task_${what.replaceAll(' ', '_')}` })
    expect(result).toMatchObject({ success: true, output: 'Then alone' })
    expect(result).not.toHaveProperty('question')
    expect(models.requests[1]?.messages.at(-1)).toMatchObject({
      failed: true,
      content: expect.stringContaining('The arguments do not fit'),
    })
  })

  it.each([
    ['before', [asking(), writing]],
    ['after', [writing, asking()]],
  ])('%s a call that waits for approval is asked once that is decided', async (when, calls) => {
    let state: 'pending' | 'approved' = 'pending'
    const answer = async () => ({ state, approvalId: 'appr_1' })
    const approvals = { ask: answer, use: answer, waitState: async () => 'decided' } as unknown as Approvals
    const { execute, models } = agentWith([{ calls }, { text: 'Late' }], { approvals })
    const about = { id: `task_${when}`, metadata: { securityMode: 'ask' } }
    const waiting = await execute(about)
    if (!('checkpoint' in waiting)) throw new Error('It does not wait')
    state = 'approved'
    const checkpoint = JSON.parse(JSON.stringify(waiting.checkpoint))
    expect(await execute(about, { checkpoint })).toMatchObject({
      success: true,
      question: QUESTION,
      filesChanged: [{ path: 'a.txt' }],
    })
    expect(models.requests).toHaveLength(1)
  })
})
