import { openCloud } from '../../lib/app/cloud.ts'
import type { Functions } from './functions.ts'
import type { Call } from './use-everything.ts'

/** Larger than what a row keeps in itself. */
const LONG = 'word '.repeat(20_000)
const ULID = '01M8EAQR5YAQTB39NM8NZ5PJP3'

type Claim = { task: { id: string }; fence: number }

const failed = (retryable: boolean) => ({
  kind: 'failed',
  error: { code: 'agent_error', message: 'it broke' },
  retryable,
  retryAfterMs: 0,
  continuation: { text: LONG },
  result: { success: false, output: LONG },
})

/** Runs claims of every kind and end, as a runner with one label; then drains it, and removes it with its token. */
export const useRunners = async ({ http, ask, drain, feed, as }: Functions, call: Call, others: Call[]) => {
  const { token } = await call('gateway', 'POST /api/tokens', { name: 'runner', scopes: ['runner'] })
  const holder = { authorization: `Bearer ${token}` }
  const body = { name: 'one', version: '1', agents: ['moody'], labels: ['gpu'], concurrency: 1 }
  const register = () =>
    http('runners', 'POST /api/runners', body, holder) as Promise<{ runner: { id: string } }>
  await register()
  const { id } = (await register()).runner

  const create = async (more: object = {}, caller = call) => {
    const task = { title: 'Task', prompt: LONG, assignedAgent: 'moody', runsOn: ['gpu'], ...more }
    const created = await caller('tasks', 'POST /api/tasks', task)
    await drain()
    return created.task.id
  }
  const claims = (given: object = {}) =>
    ask('runners', `POST /api/runners/${id}/claims`, { waitMs: 2_000, ...given }, holder)
  const claim = async () => (JSON.parse((await claims()).body) as { claim: Claim }).claim
  const say = ({ task, fence }: Claim, verb: string, more: object = {}) =>
    http('runners', `POST /api/runners/${id}/claims/${task.id}/${verb}`, { fence, ...more }, holder)
  const end = (claimed: Claim, ended: object) => say(claimed, 'outcome', { end: ended })

  // They do not fit, and are given back.
  const unfit = [await create({ runsOn: ['mac'], priority: 1 }), await create({ runsOn: ['mac'] })]
  await claims({ waitMs: 1_000 })
  for (const task of unfit) await call('tasks', `POST /api/tasks/${task}/cancel`)

  for (const other of [call, ...others]) {
    await create({ repository: 'owner/repo' }, other)
    await end(await claim(), { kind: 'stopped', reason: 'shutdown' })
    await drain()
    await end(await claim(), failed(false))
  }
  // The account for a task of an inbound event is an admin's.
  await as('runners', async (config) =>
    (await openCloud(config)).people.codeHost.accountFor('webhook:codehost'),
  )
  await create()
  const first = await claim()
  await claims({ running: [{ taskId: first.task.id, fence: first.fence }], waitMs: 0 })
  await say(first, 'renew')
  await say(first, 'events', {
    progress: [{ id: `evt_${ULID}`, message: 'half way' }],
    events: [
      { id: `${String(first.fence).padStart(4, '0')}-0000001`, type: 'content', timestamp: 1, data: {} },
    ],
    toolCalls: [
      {
        ...{ id: `tca_${ULID}`, callId: 'c', tool: 'git', arguments: { text: LONG }, result: '' },
        ...{ failed: false, decision: 'allowed', mode: 'full', durationMs: 1 },
      },
    ],
  })
  await say(first, 'guidance')
  await say(first, 'memory', { query: 'word' })
  const asked = { tool: 'git', risk: 'write', arguments: { text: LONG }, title: 'git', mode: 'ask' }
  const { answer } = (await say(first, 'approvals', { uses: false, ...asked })) as {
    answer: { approvalId: string }
  }
  const { approvalId } = answer
  await say(first, `approvals/${approvalId}`)
  const approvals = [{ approvalId, toolCallId: 'c', name: 'git' }]
  await say(first, 'pause', { message: 'waits', approvals })
  await say(first, 'resume')
  await end(first, { kind: 'waiting', checkpoint: { text: LONG }, message: 'waits', approvals })
  await call('security', `POST /api/security/approvals/${approvalId}`, { decision: 'allow-once' })
  // More waits in this queue than one event has.
  for (let n = 0; n < 5; n++) await feed('worker', 'ai-tasks')
  const resumed = await claim()
  await say(resumed, 'approvals', { uses: true, ...asked })
  await end(resumed, { kind: 'stopped', reason: 'shutdown' })
  await drain()
  await call('tasks', `POST /api/tasks/${resumed.task.id}/cancel`)

  await create({ priority: 1 })
  // Its answer is lost: the next poll says that the runner has none.
  await claim()
  await claims({ waitMs: 0 })
  await drain()
  await end(await claim(), failed(true))
  await drain()
  const last = await claim()
  await say(last, 'approvals', { uses: false, ...asked, arguments: { text: 'short' } })
  await end(last, failed(false))
  await create()
  const result = { success: true, output: LONG }
  await end(await claim(), { kind: 'succeeded', result, continuation: { text: LONG } })

  await call('runners', 'GET /api/runners')
  await call('runners', `POST /api/runners/${id}/drain`, {})
  await call('runners', `DELETE /api/runners/${id}`)
}
