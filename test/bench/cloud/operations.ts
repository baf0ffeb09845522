import { body as taskBody } from '../../adapters/dynamodb/life.ts'
import { httpEvent } from '../../fakes/http-event.ts'
import type { Wish } from './agent.ts'
import { runEvent, sqsEvent } from './events.ts'
import type { World } from './world.ts'

/** What somebody may have the service do: the function that does it, and how to come to the next event for it. */
export type Operation = { name: string; by: string; event: () => Promise<unknown> }

type More = { prompt?: string; metadata?: Wish }
type Answer = { statusCode: number; body: string }

const prompt = (bytes: number) => ({ prompt: 'p'.repeat(bytes) })

/** The operations that costs and targets rest on, by name. */
/** What is stored of such a task has 0.6 kB; what was asked for has the rest of that when there is a prompt too. */
export const SMALL_CREATE = 'create, 0.6 kB'
export const LARGE_CREATE = 'create, prompt of 3 kB'
export const RUN = 'run: claim to completion, 0.6 kB'
export const LARGE_RUN = 'run: the same, prompt of 3 kB'
export const POLL = 'poll of a task'
export const NEWEST = 'page: newest 50'
export const NEWEST_OF_STATUS = 'page: newest 50 of a status'
export const FOLLOW = 'what follows from a life of a task'
export const QUEUE_STATUS = 'queue status'
export const ANALYTICS = 'analytics'
export const TICK = 'tick, nothing due'
/** Progress events of one run. */
export const PROGRESS = 10
export const RUN_WITH_PROGRESS = `run: the same, ${PROGRESS} progress events`

/** A create, a claim and a completion. */
const CHANGES = 3

let keys = 0

/** What a person or program did before, by the functions that are not metered. */
const createBefore = ({ direct, changes, drain, receive, queues, known }: World) => {
  const call = async (name: string, route: string, body?: unknown) => {
    const { answer } = await (await direct.function(name)).invoke(httpEvent(route, body, known))
    const { statusCode, body: text } = answer as Answer
    if (statusCode >= 400) throw new Error(`${route}: ${statusCode} ${text}`)
    return JSON.parse(text)
  }
  const created = async (more: More = {}): Promise<string> =>
    (await call('tasks', 'POST /api/tasks', taskBody(more))).task.id
  const ran = async (more: More = {}): Promise<string> => {
    const id = await created(more)
    await (await direct.function('worker')).invoke(runEvent(id))
    return id
  }
  const failed = () => ran({ metadata: { fails: 'forever' } })
  const deadLetter = async (): Promise<string> => {
    const taskId = await failed()
    const { items } = await call('queue', 'GET /api/dlq?limit=1')
    if (items[0]?.taskId !== taskId) throw new Error(`${taskId} has no dead letter`)
    return items[0].id
  }
  const announced = async () => {
    const taskId = await failed()
    await drain(await direct.function('stream'))
    // Others wait before it. What is delivered a second time writes nothing.
    for (;;) {
      const text = await receive(queues.notifications)
      if (text.includes(taskId)) return text
    }
  }
  /** A token of its own for each request, for none may be used more often than ten times a second. */
  const holder = async () => {
    const { token } = await call('gateway', 'POST /api/tokens', { name: 'bench', scopes: ['gateway'] })
    return { authorization: `Bearer ${token}` }
  }
  /** The changes of one task, from its creation to its end. */
  const lived = async () => {
    await drain(await direct.function('stream'))
    await ran()
    const [event] = await changes(CHANGES)
    return event
  }
  return { created, ran, deadLetter, announced, holder, lived }
}

/** Every operation that is measured, in this order: the first ones find the table as it was filled. */
export const operationsOn = (world: World): Operation[] => {
  const { created, ran, deadLetter, announced, holder, lived } = createBefore(world)
  const request = (route: string, body?: unknown, headers = {}) =>
    httpEvent(route, body, { ...world.known, ...headers })
  const get = (by: string, name: string, path: string): Operation => ({
    name,
    by,
    event: async () => request(`GET ${path}`),
  })
  const create = (name: string, more: More = {}): Operation => ({
    name,
    by: 'tasks',
    event: async () => request('POST /api/tasks', taskBody(more)),
  })
  const run = (name: string, more: More = {}): Operation => ({
    name,
    by: 'worker',
    event: async () => runEvent(await created(more)),
  })
  const on = (by: string, name: string, route: (id: string) => string, make: () => Promise<string>) => ({
    name,
    by,
    event: async () => request(route(await make())),
  })
  const keyed = () => {
    keys += 1
    return request('POST /api/tasks', taskBody(), { 'idempotency-key': `key-${keys}` })
  }
  const replay = async () => {
    const event = keyed()
    await (await world.direct.function('tasks')).invoke(event)
    return event
  }
  return [
    { name: TICK, by: 'tick', event: async () => ({}) },
    get('auth', 'who is signed in', '/api/auth/me'),
    get('tasks', NEWEST, '/api/tasks?limit=50'),
    get('tasks', NEWEST_OF_STATUS, '/api/tasks?status=completed&limit=50'),
    get('tasks', 'filter: 50 that fit', '/api/tasks/filter?priority=3&labels=logging&limit=50'),
    get('tasks', 'filter: a word that none has', '/api/tasks/filter?q=nowhere&limit=50'),
    get('tasks', ANALYTICS, '/api/tasks/analytics'),
    get('queue', QUEUE_STATUS, '/api/queue/status'),
    create(SMALL_CREATE),
    create('create, 0.6 kB asked for', prompt(400)),
    create(LARGE_CREATE, prompt(3_000)),
    create('create, prompt of 90 kB', prompt(90_000)),
    {
      name: 'create through the gateway',
      by: 'gateway',
      event: async () => request('POST /api/gateway', { task: taskBody() }, await holder()),
    },
    { name: 'create under a key', by: 'tasks', event: async () => keyed() },
    { name: 'create under a key, again', by: 'tasks', event: replay },
    run(RUN),
    run('run: the same, 0.6 kB asked for', prompt(400)),
    run(LARGE_RUN, prompt(3_000)),
    run(RUN_WITH_PROGRESS, { metadata: { progress: PROGRESS } }),
    run('run: fails, to be tried again', { metadata: { fails: 'once' } }),
    run('run: fails for good', { metadata: { fails: 'forever' } }),
    { name: FOLLOW, by: 'stream', event: lived },
    { name: 'deliver a notification', by: 'notify', event: async () => sqsEvent(await announced()) },
    on('tasks', POLL, (id) => `GET /api/tasks/${id}`, ran),
    on(
      'tasks',
      'poll of a task, prompt of 90 kB',
      (id) => `GET /api/tasks/${id}`,
      () => ran(prompt(90_000)),
    ),
    on('tasks', 'events of a task', (id) => `GET /api/tasks/${id}/events`, ran),
    on('tasks', 'cancel', (id) => `POST /api/tasks/${id}/cancel`, created),
    on('tasks', 'retry', (id) => `POST /api/tasks/${id}/retry`, ran),
    get('queue', 'dead letters: newest 50', '/api/dlq?limit=50'),
    on('queue', 'dead letter: retry', (id) => `POST /api/dlq/${id}/retry`, deadLetter),
    on('queue', 'dead letter: discard', (id) => `POST /api/dlq/${id}/discard`, deadLetter),
    { name: 'dead letter of the queue', by: 'dlq', event: async () => runEvent(await created()) },
    get('notifications', 'notifications: newest 50', '/api/notifications?limit=50'),
  ]
}
