import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { collections } from '../../lib/collections.ts'
import { GatewayBody } from '../../lib/gateway/contract.ts'
import { gatewayKeys } from '../../lib/gateway/rows.ts'
import { type Emulator, hasDynoxide, startDynoxide } from '../../offline/emulators.ts'
import { openClient, openTables } from '../adapters/dynamodb/opened.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { createFakeIds } from '../fakes/ids.ts'
import { rejectingStore } from '../fakes/rejecting-store.ts'
import { startGateway, TOKEN } from './gateway.ts'

const task = { title: 'T' }
const key = { 'idempotency-key': 'build-7' }
const body = GatewayBody.parse({ task })

describe('a request whose commit is rejected', () => {
  it.each([
    ['before it was applied', false],
    ['after it was applied', true],
  ])('%s is 503, and one task once it is sent again with its key', async (_when, isApplied) => {
    const { state, wrapStore } = rejectingStore()
    await using gateway = await startGateway({ wrapStore, background: false })
    Object.assign(state, { next: 'gatewayRequests', isApplied })
    expect((await gateway.submit({ task }, key)).status).toBe(503)
    expect((await gateway.tasks.analytics()).totalTasks).toBe(isApplied ? 1 : 0)
    const again = await gateway.submit({ task }, key)
    expect(again.status).toBe(202)
    expect(await gateway.status(again.body.requestId)).toMatchObject({
      status: 'queued',
      taskId: again.body.taskId,
    })
    const third = await gateway.submit({ task }, key)
    expect(third).toMatchObject({ status: 202, body: again.body })
    expect((await gateway.tasks.analytics()).totalTasks).toBe(1)
  })

  it('leaves nothing behind: no key, no request, no task', async () => {
    const { state, wrapStore } = rejectingStore()
    await using gateway = await startGateway({ wrapStore, background: false })
    state.next = 'tasks'
    await gateway.submit({ task }, key)
    expect(await gateway.store.get(gatewayKeys, 'tok_ann:build-7')).toBeUndefined()
    // With another body the key is as good as new.
    expect((await gateway.submit({ task: { title: 'Another' } }, key)).status).toBe(202)
  })
})

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
          const own = await startGateway({ wrapStore: () => again(), background: false })
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
      const { tasks } = (await processes[0]?.tasks.list({ limit: 10 } as never)) ?? {}
      expect(tasks).toMatchObject([{ id: taskId }])
    })
  })
else it('finds dynoxide in CI', () => expect(process.env.CI).toBeUndefined())
