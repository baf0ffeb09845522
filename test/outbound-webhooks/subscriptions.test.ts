import { describe, expect, it } from '@jest/globals'
import { collections } from '../../lib/collections.ts'
import type { Notice } from '../../lib/composition/notices.ts'
import type { Store } from '../../lib/ports/store.ts'
import { taskMessages, tasks as taskRows } from '../../lib/tasks/rows.ts'
import { startReceiver } from '../adapters/outbound-receiver.ts'
import { createCaller } from '../fakes/caller.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { startDomains } from '../fakes/service.ts'
import { storeOpeners } from '../fakes/stores.ts'

type Opened = { store: Store; close: () => Promise<unknown> }
/** A test that fails leaves no emulator behind. */
const closing = ({ store, close }: Opened) => ({
  store,
  [Symbol.asyncDispose]: async () => void (await close()),
})

/** One process of several on the same storage; what storage would send is handed over by the test. */
const processOn = async (store: Store) => {
  const service = await startDomains({
    background: false,
    wrapStore: () => store,
    env: { OUTBOUND_ALLOW_HOSTS: '127.0.0.1' },
  })
  await Promise.all([service.settings.refresh(), service.subscriptions.load()])
  const call = createCaller(service)
  return {
    ...service,
    call,
    register: async (url: string, events: readonly string[]) => {
      const { body } = await call('POST /api/webhooks', { body: { url, events } })
      return body.webhook?.id as string
    },
    /** The notices of a task that is created here. */
    noticesOfTask: async (): Promise<Notice[]> => {
      const { id } = await service.create()
      const after = await store.get(taskRows, id)
      const sends = taskMessages({ before: undefined, after, log: await store.log(taskRows, id) })
      return sends.flatMap(({ to, body }) => (to === 'notices' ? [body as Notice] : []))
    },
    handle: async (notices: readonly Notice[]) => {
      for (const notice of notices) await service.handleNotice(notice)
      await service.deliveries.settled()
    },
  }
}

/** Storage whose index of webhooks has none of them yet, as one that follows its rows may. */
const withLateIndex = (store: Store): Store => ({
  ...store,
  get: store.get.bind(store),
  page: async (of, query) => (of.name === 'webhooks' ? { rows: [], next: undefined } : store.page(of, query)),
})

describe.each(storeOpeners(collections))('subscriptions on %s', (_name, open) => {
  it('last: another process emits what was registered, and changed, when there were settings already', async () => {
    await using opened = closing(await open(createFakeClock()))
    const { store } = opened
    await using receiver = await startReceiver()
    const first = await processOn(store)
    await first.call('PATCH /api/settings', { body: { queue: { concurrency: 7 } } })
    await first.register(`${receiver.url}/new`, ['task.created'])
    const changed = await first.register(`${receiver.url}/changed`, ['task.failed'])
    await first.call(`PATCH /api/webhooks/${changed}`, { body: { events: ['task.created', 'task.failed'] } })
    const deleted = await first.register(`${receiver.url}/deleted`, ['task.created'])
    await first.call(`DELETE /api/webhooks/${deleted}`)
    // A change of settings takes nothing away.
    await first.call('PATCH /api/settings', { body: { queue: { concurrency: 8 } } })

    const second = await processOn(store)
    const notices = await second.noticesOfTask()
    expect(notices.map(({ kind }) => kind)).toEqual(['emitted'])
    await second.handle(notices)
    expect(receiver.heard.map(({ path }) => path.split('/').at(-1)).sort()).toEqual(['changed', 'new'])
    expect(second.settings.current().queue.concurrency).toBe(8)
  })

  it('and their limit of 100 do not depend on an index, which may follow the rows', async () => {
    await using opened = closing(await open(createFakeClock()))
    const { store } = opened
    await using receiver = await startReceiver()
    const late = withLateIndex(store)
    const [first, second] = [await processOn(late), await processOn(late)]
    await first.register(`${receiver.url}/first`, ['task.created'])
    for (let n = 1; n < 99; n += 1) await first.register(`${receiver.url}/idle`, ['task.failed'])
    const request = { body: { url: `${receiver.url}/last`, events: ['task.cancelled'] } }
    // Processes that meet wait for a while, by their own clocks.
    const passing = setInterval(() => {
      for (const { clock } of [first, second]) clock.advance(500)
    }, 10)
    const answers = await Promise.all(
      [first, second].flatMap(({ call }) => [
        call('POST /api/webhooks', request),
        call('POST /api/webhooks', request),
      ]),
    )
    clearInterval(passing)
    const codes = answers.map(({ status, body }) => (status === 201 ? 201 : body.code))
    expect(codes.sort()).toEqual([201, ...Array(3).fill('too_many_webhooks')])
    await second.handle(await second.noticesOfTask())
    expect(receiver.heard.map(({ path }) => path)).toEqual(['/hook/first'])
  })
})
