import { encode } from '../../lib/adapters/aws/sqs/message.ts'
import { iso } from '../../lib/core/time.ts'
import { deliveryRows } from '../../lib/deliveries/rows.ts'
import type { DeliveryRow } from '../../lib/deliveries/schema.ts'
import { type LinkedAccountRow, linkedAccounts } from '../../lib/oauth/rows.ts'
import { isReportId } from '../../lib/reporting/rows.ts'
import { tasks } from '../../lib/tasks/rows.ts'
import type { TaskRow } from '../../lib/tasks/schema.ts'
import { createTrackerApi } from '../fakes/trackers.ts'
import type { TestProvider } from '../oauth/provider.ts'
import type { startCloud } from './cloud.ts'
import type { Functions } from './functions.ts'
import { besides } from './use-seldom.ts'
import { deliver } from './use-webhooks.ts'

type Headers = Record<string, string>
type Cloud = Awaited<ReturnType<typeof startCloud>>
type World = { functions: Functions; cloud: Cloud; provider: TestProvider; known: Headers }

const TICKET = 'codehost:acme/shop#12'

/** Links another account of the code host to whoever is known so. */
const link = async ({ functions: { ask }, provider, known }: World): Promise<void> => {
  provider.person.id += 1
  const { headers } = await ask('auth', 'GET /api/auth/codehost', undefined, known)
  const back = await provider.agree(headers.location ?? '')
  const [cookie = ''] = (headers['set-cookie'] ?? '').split(';')
  await ask('auth', `GET ${back.pathname}${back.search}`, undefined, { cookie, ...known })
}

/** Has the tokens of an account renewed before they are used next. */
const expire = async ({ functions, cloud, known }: World): Promise<void> => {
  const { user } = (await functions.http('auth', 'GET /api/auth/me', undefined, known)) as {
    user: { id: string }
  }
  const { store, clock, stop } = await besides(cloud)
  const { rows } = await store.page(linkedAccounts, { index: 'ofUser', is: user.id, order: 'desc', limit: 9 })
  for (const { id: key } of rows)
    await store.commit<LinkedAccountRow>({
      update: linkedAccounts,
      key,
      set: { tokensExpireAt: clock.now() - 1 },
      add: { version: 1 },
    })
  stop()
}

/** Ends of tasks that issues hear of: by each function that handles notices, and by the tick. */
export const useReports = async (world: World): Promise<void> => {
  const { functions, cloud, provider, known } = world
  const api = createTrackerApi()
  let isDown = false
  provider.state.api = async (call) => {
    api.state.token = String(call.headers.authorization).replace(/^Bearer /, '')
    return isDown ? { status: 502 } : api.call(call)
  }
  await link(world)
  const { store, clock, stop } = await besides(cloud)
  const end = async (key: string) => {
    const set = {
      status: 'failed',
      completedAt: iso(clock.now()),
      error: { code: 'e', message: 'm' },
    } as const
    await store.commit<TaskRow>({ update: tasks, key, set })
    return encode({ body: { kind: 'ended', taskId: key }, priority: 3 })
  }
  const labeled = async (updated_at: string) =>
    ((await deliver(functions, { number: 12, updated_at })) as { task: { id: string } }).task.id
  for (const [name, queue] of [
    ['notify', 'ai-task-notifications'],
    ['dlq', 'ai-task-notifications-dlq'],
  ] as const) {
    const id = await labeled(name)
    await expire(world)
    await functions.feed(name, queue, await end(id))
    const { task } = (await functions.http('tasks', `POST /api/tasks/${id}/retry`, undefined, known)) as {
      task: { id: string }
    }
    await functions.feed(name, queue, await end(task.id))
    const read = await functions.http('tasks', `GET /api/tasks/${task.id}`, undefined, known)
    if ((read as { task: TaskRow & { report?: { status: string } } }).task.report?.status !== 'reported')
      throw new Error(`${name} did not report: ${JSON.stringify(read)}`)
  }
  isDown = true
  await functions.feed('notify', 'ai-task-notifications', await end(await labeled('tick')))
  isDown = false
  const waiting = (await store.page(deliveryRows, { index: 'due', order: 'asc', limit: 200 })).rows
  for (const { id: key, owner } of waiting)
    if (isReportId(owner))
      await store.commit<DeliveryRow>({ update: deliveryRows, key, set: { dueAt: iso(clock.now() - 1) } })
  await expire(world)
  await functions.invoke('tick', {})
  if (api.comments.codehost.length !== 3)
    throw new Error(`There are ${api.comments.codehost.length} comments`)
  stop()
}

/** A question about a ticket, which is read by the account of whoever asks. */
export const useTicket = async (world: World, url: string): Promise<void> => {
  await expire(world)
  const body = { ticketId: TICKET, messages: [{ role: 'user', content: 'What is it about?' }] }
  const answer = await fetch(`${url}/api/chat/smart`, {
    method: 'POST',
    headers: { ...world.known, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`)
}
