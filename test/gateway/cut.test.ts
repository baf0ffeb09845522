import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { collections } from '../../lib/collections.ts'
import { GatewayBody } from '../../lib/gateway/contract.ts'
import { type Emulator, hasDynoxide, startDynoxide } from '../../offline/emulators.ts'
import { openClient, openTables } from '../adapters/dynamodb/opened.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { createFakeIds } from '../fakes/ids.ts'
import { mortalStore } from '../fakes/mortal.ts'
import { startGateway, TOKEN } from './gateway.ts'

const task = { title: 'T' }
const key = { 'idempotency-key': 'build-7' }
const body = GatewayBody.parse({ task })

describe('a request whose process died over it', () => {
  it.each(['gatewayKeys', 'gatewayRequests', 'tasks'])(
    'before it wrote to %s is made whole by the next call with its key',
    async (at) => {
      const { state, wrapStore } = mortalStore()
      await using gateway = await startGateway({ wrapStore, background: false })
      state.at = at
      expect((await gateway.submit({ task }, key)).status).toBe(500)
      delete state.at
      const again = await gateway.submit({ task }, key)
      expect(again.status).toBe(202)
      expect(await gateway.status(again.body.requestId)).toMatchObject({
        status: 'queued',
        taskId: again.body.taskId,
      })
      const third = await gateway.submit({ task }, key)
      expect(third).toMatchObject({ status: 202, body: again.body })
      expect((await gateway.tasks.analytics()).totalTasks).toBe(1)
    },
  )

  it('is pending for a minute, and then known to have come to nothing', async () => {
    const { state, wrapStore } = mortalStore()
    await using gateway = await startGateway({ wrapStore, background: false })
    state.at = 'tasks'
    await gateway.submit({ task, options: { notifyUrl: 'http://127.0.0.1:9/' } })
    const { rows } = await gateway.store.page(requestRows, { index: 'open', order: 'asc', limit: 1 })
    const requestId = rows[0]?.id as string
    expect(await gateway.status(requestId)).toMatchObject({ status: 'pending', progress: null })
    gateway.clock.advance(60_001)
    const lost = await gateway.status(requestId)
    expect(lost).toMatchObject({ status: 'failed', error: { code: 'task_not_created' } })
  })
})

const requestRows = collections.find(({ name }) => name === 'gatewayRequests') as (typeof collections)[number]

describe('requests with one key at the same time', () => {
  it('make one task and have one answer, in one process', async () => {
    await using gateway = await startGateway({ background: false })
    const answers = await Promise.all(
      Array.from({ length: 9 }, () => gateway.gateway.submit(TOKEN, body, 'k')),
    )
    expect(new Set(answers.map(({ taskId }) => taskId)).size).toBe(1)
    expect(answers.filter(({ replayed }) => replayed)).toHaveLength(8)
    expect((await gateway.tasks.analytics()).totalTasks).toBe(1)
  })
})

if (hasDynoxide())
  describe('requests with one key at the same time, on DynamoDB', () => {
    let emulator: Emulator | undefined
    beforeAll(async () => {
      emulator = await startDynoxide()
    })
    afterAll(() => emulator?.stop())

    it('make one task and have one answer, in many processes', async () => {
      const clock = createFakeClock()
      const client = openClient(emulator?.endpoint ?? '')
      const { again } = await openTables({ client, collections, clock })
      const ids = createFakeIds()
      const processes = await Promise.all(
        [1, 2, 3].map(async () => {
          const own = await startGateway({
            wrapStore: () => again(),
            wrapTaskQueue: durable,
            background: false,
          })
          own.ids.next = ids.next
          return own
        }),
      )
      const answers = await Promise.all(
        Array.from({ length: 9 }, (_, n) => processes[n % 3]?.gateway.submit(TOKEN, body, 'k')),
      )
      expect(answers.filter((answer) => answer?.replayed)).toHaveLength(8)
      const [taskId = '', ...others] = new Set(answers.map((answer) => answer?.taskId))
      expect(others).toEqual([])
      const { events } = (await processes[0]?.tasks.events(taskId)) ?? {}
      expect(events?.map(({ type }) => type)).toEqual(['created', 'queued'])
      expect((await processes[0]?.tasks.analytics())?.totalTasks).toBe(1)
    })
  })
else it('finds dynoxide in CI', () => expect(process.env.CI).toBeUndefined())

/** A queue that outlives the process, as SQS does; nobody takes from it. */
const durable = <Q extends { durable: boolean }>(queue: Q): Q => ({
  ...queue,
  durable: true,
  send: async () => undefined,
})
