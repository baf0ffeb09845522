import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { encode } from '../../lib/adapters/aws/sqs/message.ts'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { createIds } from '../../lib/adapters/node/ids.ts'
import type { WebhookDelivery } from '../../lib/outbound-webhooks/schema.ts'
import { hasDynoxide } from '../../offline/emulators.ts'
import { startReceiver } from '../adapters/outbound-receiver.ts'
import { startCloud } from '../deploy/cloud.ts'
import { type Functions, loadFunctions } from '../deploy/functions.ts'

const QUEUE = 'ai-task-notifications'
const LATER = 3

let cloud: Awaited<ReturnType<typeof startCloud>>
let functions: Functions

if (!hasDynoxide()) console.error('dynoxide is not installed for this machine: no other emulator has streams')
const suite = hasDynoxide() ? describe : describe.skip
suite('the function of notices', () => {
  beforeAll(async () => {
    cloud = await startCloud()
    const openEnvironment = async () => {
      const environment = await cloud.openEnvironment()
      return { ...environment, env: { ...environment.env, AUTH_MODE: 'local' } }
    }
    functions = loadFunctions({ ...cloud, openEnvironment })
  })
  afterAll(async () => {
    functions?.stop()
    await cloud?.stop()
  })

  it('tries an endpoint that gives no answer once: the tick sends the rest to it, and nothing else waits', async () => {
    await using failing = await startReceiver((response) => response.destroy())
    await using healthy = await startReceiver()
    const ids = createIds({ clock: createClock() })
    const http = async <T>(name: string, route: string, body?: object) =>
      (await functions.http(name, route, body)) as T
    const register = async (url: string) => {
      const body = { url, events: ['task.created'] }
      return (await http<{ webhook: { id: string } }>('outbound', 'POST /api/webhooks', body)).webhook.id
    }
    const { task } = await http<{ task: { id: string } }>('tasks', 'POST /api/tasks', { title: 'Task' })
    // The stream function follows the creation while nothing is subscribed to it.
    await functions.drain()
    const failingId = await register(failing.url)
    await register(healthy.url)
    const notice = () => {
      const entry = { id: ids.next('evt'), type: 'created' }
      return encode({ body: { kind: 'emitted', taskId: task.id, entry }, priority: 3 })
    }
    const notices = async (count: number) => {
      for (let n = 0; n < count; n += 1) await functions.feed('notify', QUEUE, notice())
    }
    const statuses = async () => {
      const route = `GET /api/webhooks/${failingId}/deliveries`
      const { deliveries } = await http<{ deliveries: WebhookDelivery[] }>('outbound', route)
      return deliveries.map(({ status, attempts }) => `${status} ${attempts.length}`).sort()
    }

    await notices(1)
    expect([failing.heard.length, healthy.heard.length]).toEqual([1, 1])
    await notices(LATER)
    expect([failing.heard.length, healthy.heard.length]).toEqual([1, 1 + LATER])
    expect(await statuses()).toEqual([...Array(LATER).fill('pending 0'), 'pending 1'])

    failing.answer = (response) => response.end('ok')
    await functions.invoke('tick', {})
    expect(await statuses()).toEqual([...Array(LATER).fill('delivered 1'), 'pending 1'])
    await notices(1)
    expect(failing.heard).toHaveLength(1 + LATER + 1)
  })
})
