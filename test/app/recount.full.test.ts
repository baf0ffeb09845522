import { spawnSync } from 'node:child_process'
import { expect, it } from '@jest/globals'
import { type UserRow, users } from '../../lib/accounts/rows.ts'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { openSqliteStore } from '../../lib/adapters/sqlite/store.ts'
import { recount } from '../../lib/app/recount.ts'
import { collections } from '../../lib/collections.ts'
import { LOCAL_ADMIN, type Principal } from '../../lib/core/principal.ts'
import { createFakeAgent } from '../fakes/agent.ts'
import { ANN, startDomains, turns } from '../fakes/service.ts'
import { taskApi } from '../journeys/api.ts'
import { startService, temporaryFolder } from '../journeys/service.ts'

it('corrects what drifted, leaves alone what rows cannot tell, and finds nothing the second time', async () => {
  const failing = createFakeAgent((_task, { spent }) => {
    spent({ usd: 0.25, source: 'price' })
    return Promise.reject(Object.assign(new Error('never'), { retryable: false }))
  })
  await using service = await startDomains({ adapters: [failing] })
  const { id } = await service.run()
  await service.run()
  const [letter] = (await service.deadLetters.list({ status: 'pending', limit: 1 })).items
  await service.deadLetters.retry(ANN, letter?.id ?? '')
  await turns()
  const before = await service.store.counters('tasks')
  await service.store.adjust([
    { counter: 'tasks', member: 'all', add: { total: 3, 'status:failed': -1, 'status:odd': 2 } },
    { counter: 'tasks.costs.users', member: ANN.userId, add: { microUsd: -7 } },
    { counter: 'tasks.daily', member: '2026-01-01', add: { spent: 1 } },
    { counter: 'dlq', member: 'all', add: { pending: 7 } },
  ])

  expect(await recount(service.store, collections)).toEqual([
    { counter: 'tasks', member: 'all', add: { total: -3, 'status:failed': 1, 'status:odd': -2 } },
    { counter: 'tasks.costs.users', member: ANN.userId, add: { microUsd: 7 } },
    { counter: 'dlq', member: 'all', add: { pending: -7 } },
  ])
  expect(await service.store.counters('tasks')).toEqual({ all: { ...before.all, 'status:odd': 0 } })
  expect(await recount(service.store, collections)).toEqual([])
  expect((await service.tasks.get(id)).status).toBe('failed')
})

it('counts what belongs to users, user by user, and what belongs to all, also where nothing is left', async () => {
  await using service = await startDomains()
  const { conversations, conversationRemoval, store } = service
  const own = async (principal: Principal, given = {}) => (await conversations.create(principal, given)).id
  const { id: ada } = { id: 'user_ada' }
  await store.commit<UserRow>({
    insert: users,
    row: {
      id: ada,
      email: 'ada@x.org',
      name: 'Ada',
      role: 'user',
      disabled: false,
      createdAt: '2026-01-01T00:00:00.000Z',
    },
  })
  const user: Principal = { userId: ada, role: 'user' }
  const { id: taskId } = await service.run()
  await own(LOCAL_ADMIN, { taskId })
  await own(LOCAL_ADMIN)
  await conversationRemoval.remove(user, await own(user))
  const wrong = [
    { counter: 'conversations:local', member: 'all', add: { total: 5 } },
    { counter: `conversations:local:task:${taskId}`, member: 'all', add: { total: -1 } },
    { counter: `conversations:${ada}`, member: 'all', add: { total: 3 } },
    { counter: `agentSessions:${ada}`, member: 'all', add: { total: 2 } },
    { counter: `tokens:${ada}`, member: 'all', add: { total: 1 } },
    { counter: 'tokens', member: 'all', add: { total: 1 } },
    { counter: 'invites', member: 'all', add: { total: 4 } },
  ]
  await store.adjust(wrong)
  const found = await recount(store, collections)
  const undone = wrong.map(({ add, ...of }) => ({ ...of, add: { total: -add.total } }))
  expect(found).toHaveLength(undone.length)
  expect(found).toEqual(expect.arrayContaining(undone))
  expect(await recount(store, collections)).toEqual([])
})

it('is a command for the data folder of a service that is stopped', async () => {
  using folder = temporaryFolder()
  const env = { DATA_DIR: folder.path }
  const run = () => {
    const { stdout, stderr } = spawnSync(process.execPath, ['bin/recount.ts'], {
      env: { PATH: process.env.PATH, ...env },
      encoding: 'utf8',
    })
    return stdout + stderr
  }
  await using service = await startService({ env })
  await taskApi(service.baseUrl).create({ title: 'One' })
  expect(run()).toMatch(/^Cannot recount: .*in use/)
  await taskApi(service.baseUrl).untilIdle()
  await service.stop()

  const store = openSqliteStore({ file: folder.in('service.db'), collections, clock: createClock() })
  await store.adjust([{ counter: 'tasks', member: 'all', add: { total: 41 } }])
  await store.close()
  expect(run()).toBe('tasks all: {"total":-41}\n1 corrected.\n')
  expect(run()).toBe('All counters were correct.\n')
})
