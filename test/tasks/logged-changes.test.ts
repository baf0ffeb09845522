import { expect, it } from '@jest/globals'
import { createFakeAgent } from '../fakes/agent.ts'
import { turns } from '../fakes/service.ts'
import { TOKEN } from '../gateway/gateway.ts'
import { type StartedInbound, startInbound } from '../webhooks/inbound.ts'
import * as github from '../webhooks/payloads/codehost.ts'
import { sampleRow } from './samples.ts'

const task = { title: 'A task', prompt: 'P' }
const { fence: _fence, ...exported } = sampleRow()
const failing = createFakeAgent(() => Promise.reject(Object.assign(new Error('no'), { retryable: false })))
const start = () => startInbound({ background: true, adapters: [failing] })
/** A task that has failed, and its dead letter. */
const failed = async (service: StartedInbound) => {
  const { body } = await service.call('POST /api/tasks', { body: task })
  await turns(30)
  const letter = (await service.call('GET /api/dlq')).body.items[0].id
  service.log.entries.length = 0
  return { id: body.task.id, letter }
}

type Case = [what: string, act: (service: StartedInbound) => Promise<unknown>, changes: object[]]
const made = [{ to: 'queued' }]

/** Each commit with a change of a task's state, by the domain that commits. */
const commits: Case[] = [
  ['a create', ({ call }) => call('POST /api/tasks', { body: task }), made],
  [
    'a create with a key',
    ({ call }) => call('POST /api/tasks', { body: task, headers: { 'idempotency-key': 'k' } }),
    made,
  ],
  [
    'an import',
    ({ call }) => call('POST /api/tasks/import', { body: { version: '1.0', tasks: [exported] } }),
    made,
  ],
  [
    'a run of a schedule',
    async ({ call }) => {
      const body = { name: 'Hourly', cron: '0 * * * *', task }
      const { id } = (await call('POST /api/schedules', { body })).body.schedule
      await call(`POST /api/schedules/${id}/run`)
    },
    made,
  ],
  [
    'a request of the gateway',
    ({ call }) => call('POST /api/gateway', { body: { task, workflow: 'custom' }, as: TOKEN }),
    made,
  ],
  [
    'an inbound webhook',
    ({ deliver }) =>
      deliver('codehost', github.issueLabeled('ai-task', {}), { event: 'issues', delivery: 'a' }),
    made,
  ],
  [
    'a retry as a new task',
    async (service) => service.call(`POST /api/tasks/${(await failed(service)).id}/retry`),
    made,
  ],
  [
    'a retry of a dead letter',
    async (service) => service.call(`POST /api/dlq/${(await failed(service)).letter}/retry`),
    [{ from: 'failed', to: 'queued' }],
  ],
]

it.each(commits)(
  'The log has a line for each change of state: %s and the failed run',
  async (_, act, changes) => {
    await using service = await start()
    await act(service)
    await turns(30)
    const lines = service.log.entries.filter(({ message }) => message === 'task')
    const taskId = lines[0]?.fields.taskId
    expect(
      lines.map(({ level, fields: { requestId: _, traceparent: _t, ...fields } }) => ({ level, ...fields })),
    ).toEqual(
      [
        ...changes,
        { from: 'queued', to: 'in_progress', attempt: 1 },
        { from: 'in_progress', to: 'failed', attempt: 1 },
      ].map((change) => ({ level: 'info', taskId, ...change })),
    )
  },
)
