import { encode } from '../../lib/adapters/aws/sqs/message.ts'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { createIds } from '../../lib/adapters/node/ids.ts'
import type { TaskEvent } from '../../lib/tasks/schema.ts'
import { startReceiver } from '../adapters/outbound-receiver.ts'
import type { Functions } from './functions.ts'

type Headers = Record<string, string>
type Shown = {
  webhook: { id: string }
  delivery: { id: string }
  deliveries: { id: string }[]
  task: { id: string }
  token: string
}
type Call = (name: string, route: string, body?: unknown, headers?: Headers) => Promise<unknown>

/** As long as is kept of an answer, and six times that in JSON. */
const REFUSAL = '\u0001'.repeat(4_096)

const ids = createIds({ clock: createClock() })

/**
 * Webhooks of tasks: one that refuses at length, one that is gone and so is paused, by each function that handles
 * notices; what people and programs do with them. One is left whose deliveries are to be
 * made due, and one that is deleted, which is for the tick.
 */
export const useOutbound = async (functions: Functions, ask: Call): Promise<void> => {
  const call = (route: string, body?: unknown, headers?: Headers) =>
    ask('outbound', route, body, headers) as Promise<Shown>
  await using refusing = await startReceiver((response) => response.writeHead(500).end(REFUSAL))
  await using gone = await startReceiver((response) => response.writeHead(410).end())
  const make = async (url: string, event: string) =>
    (await call('POST /api/webhooks', { url, events: [event], generateSecret: true })).webhook.id
  const program = { name: 'program', scopes: ['webhooks'] }
  const { token } = (await ask('gateway', 'POST /api/tokens', program)) as Shown
  await functions.http('outbound', 'GET /api/webhooks', undefined, { authorization: `Bearer ${token}` })

  const away = await startReceiver((response) => response.writeHead(410).end())
  await using _ = away
  await useAlerts(ask, away.url)
  const labels = Array.from({ length: 50 }, (_each, n) => `${n}${'x'.repeat(190)}`)
  const given = { title: 'Task', assignedAgent: 'moody', labels, metadata: { words: 10_000 } }
  const { task } = (await ask('tasks', 'POST /api/tasks', given)) as Shown
  await functions.feed('worker', 'ai-tasks')
  const notice = (type: TaskEvent['type']) => {
    const entry = { id: ids.next('evt'), type, attempt: 1 }
    return encode({ body: { kind: 'emitted', taskId: task.id, entry }, priority: 3 })
  }
  let [long, lost] = ['', '']
  for (const [name, queue] of [
    ['notify', 'ai-task-notifications'],
    ['dlq', 'ai-task-notifications-dlq'],
  ] as const) {
    // What goes to one whose last send failed is left to the tick, so that each function has webhooks of its own.
    long = await make(refusing.url, 'task.completed')
    lost = await make(gone.url, 'task.created')
    for (let n = 0; n < 2; n++) await functions.feed(name, queue, notice('created'))
    await functions.feed(name, queue, notice('completed'))
    await ask('notifications', 'POST /api/alerts/subscriptions', subscription(`${away.url}/${name}`))
    await functions.feed(name, queue, encode({ body: { kind: 'ended', taskId: task.id }, priority: 3 }))
  }

  await ask('notifications', 'GET /api/inbox?scope=all')
  await call('GET /api/webhooks')
  await call(`GET /api/webhooks/${long}`)
  await call(`PATCH /api/webhooks/${long}`, { events: ['*'] })
  await call(`POST /api/webhooks/${long}/rotate`)
  const { deliveries } = await call(`GET /api/webhooks/${long}/deliveries`)
  for (const { id } of deliveries) await call(`POST /api/webhooks/${long}/deliveries/${id}/redeliver`)
  await call(`PATCH /api/webhooks/${lost}`, { active: true })
  await call(`POST /api/webhooks/${lost}/test`)
  await call(`PATCH /api/webhooks/${lost}`, { active: true })
  await call(`POST /api/webhooks/${lost}/recover`, { since: '2026-01-01T00:00:00Z' })
  const deleted = await make(gone.url, '*')
  await call(`POST /api/webhooks/${deleted}/test`)
  await call(`DELETE /api/webhooks/${deleted}`)
}

const subscription = (endpoint: string) => ({
  endpoint,
  keys: {
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  },
  device: 'A browser',
  topics: ['approvals', 'results'],
})

/** The browsers of a user: one that is removed, and one whose push service does not know it any more. */
const useAlerts = async (ask: Call, url: string): Promise<void> => {
  await ask('notifications', 'GET /api/alerts')
  const subscribe = async (place: string) => {
    const body = subscription(`${url}/${place}`)
    const made = (await ask('notifications', 'POST /api/alerts/subscriptions', body)) as {
      subscription: { id: string }
    }
    return made.subscription.id
  }
  await ask('notifications', `DELETE /api/alerts/subscriptions/${await subscribe('removed')}`)
  await ask('notifications', `POST /api/alerts/subscriptions/${await subscribe('gone')}/test`)
}
