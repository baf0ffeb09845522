import { describe, expect, it } from '@jest/globals'
import { createMemoryQueue } from '../../lib/adapters/memory/queue.ts'
import type { Task } from '../../lib/tasks/schema.ts'
import { createFakeAgent, HOLD } from '../fakes/agent.ts'
import { createCaller } from '../fakes/caller.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { createFakeLog } from '../fakes/log.ts'
import { ANN, BOB, startDomains, turns } from '../fakes/service.ts'

const PER = { perAgent: 'agent', perRepository: 'repository', perUser: 'createdBy' } as const
type Cap = keyof typeof PER
const CAPS = Object.keys(PER) as Cap[]

const MODES = ['one process', 'many processes'] as const
type Mode = (typeof MODES)[number]

/** A service with two agents, which run until the test ends them; each start is checked against the caps. */
const startedIn = async (mode: Mode, env: Record<string, string> = {}) => {
  const open = new Set<Task>()
  const beyond: string[] = []
  const agentOf = (type: string) =>
    createFakeAgent(
      (task, { signal }) =>
        new Promise((_, reject) => {
          const started = task as Task
          open.add(started)
          const caps = service.settings.current().concurrency
          for (const cap of CAPS) {
            const name = started[PER[cap]]
            const count = [...open].filter((one) => one[PER[cap]] === name).length
            if (name !== undefined && caps[cap] > 0 && count > caps[cap])
              beyond.push(`${cap} ${name} ${count}`)
          }
          signal.addEventListener('abort', () => reject(signal.reason))
        }),
      { type },
    )
  const agents = [agentOf('one'), agentOf('two')]
  const service = await startDomains({
    adapters: agents,
    sharesPlaces: mode === 'many processes',
    env: { QUEUE_CONCURRENCY: '50', POOL_TIMEOUT_MS: '86400000', ...env },
  })
  const call = createCaller(service)
  const set = (concurrency: object) => call('PATCH /api/settings', { body: { concurrency } })
  const end = async (id: string, how: 'finish' | 'fail' = 'finish') => {
    const run = agents.flatMap(({ runs }) => runs).findLast(({ task }) => task.id === id)
    for (const one of open) if (one.id === id) open.delete(one)
    if (how === 'finish') run?.finish()
    else run?.fail(new Error('no'))
    await turns()
  }
  const running = () => [...open].map(({ id }) => id)
  const create = async (body: object, as = ANN) => (await service.create(body, as)).id
  return { service, agents, open, beyond, call, set, end, running, create }
}

describe.each(MODES)('a cap of concurrent tasks in %s', (mode) => {
  const started = (env?: Record<string, string>) => startedIn(mode, env)
  const isShared = mode === 'many processes'
  /** In storage, what a task gives up is passed on by messages. */
  const settle = async () => {
    for (let n = 0; isShared && n < 6; n += 1) await turns()
  }

  it.each<[Cap, object, object, typeof BOB, string]>([
    ['perAgent', { assignedAgent: 'one' }, { assignedAgent: 'two' }, ANN, 'the agent one'],
    ['perRepository', { repository: 'acme/a' }, { repository: 'acme/b' }, ANN, 'the repository acme/a'],
    ['perRepository', { repository: 'acme/a' }, {}, ANN, 'the repository acme/a'],
    ['perUser', {}, {}, BOB, 'the user user_ann'],
  ])('%s holds back %j, and not %j', async (cap, capped, other, otherUser, name) => {
    const { service, set, create, end, running, call } = await started()
    await using _ = service
    await set({ [cap]: 2 })
    const ids: string[] = []
    for (let n = 0; n < 5; n += 1) ids.push(await create({ priority: 1, ...capped }))
    await turns()
    expect(running()).toEqual(ids.slice(0, 2))
    const free = await create({ priority: 4, ...other }, otherUser)
    await turns()
    expect(running()).toEqual([...ids.slice(0, 2), free])
    const { task } = (await call(`GET /api/tasks/${ids[3]}`)).body
    expect(task).toMatchObject({
      waitingFor: 'slot',
      waiting: { ...(!isShared && { position: 2 }), message: `${name} is running 2 of at most 2 tasks` },
    })
    await end(ids[1] ?? '')
    await settle()
    expect(running()).toEqual([ids[0], free, ids[2]])
  })

  it('that is lowered lets what runs go on, and one that is raised or removed starts what waits at once', async () => {
    const { service, set, create, end, running } = await started()
    await using _ = service
    const ids: string[] = []
    // In many processes a cap counts the runs that begin while it is set.
    await set({ perRepository: 4 })
    for (let n = 0; n < 4; n += 1) ids.push(await create({ repository: 'acme/a' }))
    await turns()
    await set({ perRepository: 1 })
    for (let n = 4; n < 8; n += 1) ids.push(await create({ repository: 'acme/a' }))
    await turns()
    expect(running()).toEqual(ids.slice(0, 4))
    for (const id of ids.slice(0, 3)) await end(id)
    await settle()
    expect(running()).toEqual([ids[3]])
    await set({ perRepository: 3 })
    await turns()
    if (isShared) await service.sharedPlaces.repair()
    await settle()
    expect(running()).toEqual(ids.slice(3, 6))
    await set({ perRepository: null })
    await turns()
    if (isShared) await service.sharedPlaces.repair()
    await settle()
    expect(running()).toEqual(ids.slice(3))
  })

  it.each([-1, 1.5, 100_001, '2', true, []])('is not %j', async (value) => {
    const { service, set } = await started()
    await using _ = service
    for (const cap of CAPS)
      expect(await set({ [cap]: value })).toMatchObject({
        status: 400,
        body: { details: [{ path: `concurrency.${cap}` }] },
      })
  })

  it('of the environment is fixed, and 0 is none', async () => {
    const { service, set, create, running } = await started({
      CONCURRENCY_PER_USER: '1',
      CONCURRENCY_PER_AGENT: '0',
    })
    await using _ = service
    expect((await set({ perUser: 2 })).status).toBe(400)
    for (let n = 0; n < 3; n += 1) await create({})
    for (let n = 0; n < 3; n += 1) await create({}, BOB)
    await turns()
    await settle()
    expect(running()).toHaveLength(2)
  })

  it('counts anew after a restart', async () => {
    const first = await started({ CONCURRENCY_PER_USER: '2' })
    for (let n = 0; n < 4; n += 1) await first.create({})
    await turns()
    expect(first.running()).toHaveLength(2)
    const agent = createFakeAgent(HOLD, { type: 'one' })
    const env = { CONCURRENCY_PER_USER: '2', QUEUE_CONCURRENCY: '50' }
    await using _ = await startDomains({
      after: first.service,
      adapters: [agent],
      env,
      sharesPlaces: isShared,
    })
    await turns()
    await settle()
    expect(agent.runs).toHaveLength(2)
  })

  it('holds whatever happens: ends, failures, retries, redrives, cancels and changes of the caps', async () => {
    const { service, set, create, end, running, beyond, open } = await started({ QUEUE_RETRY_ATTEMPTS: '2' })
    await using _ = service
    if (isShared) await set({ perAgent: 3, perRepository: 3, perUser: 3 })
    let state = 7
    const random = (most: number) => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
      return Math.floor((state / 2_147_483_648) * most)
    }
    const ids: string[] = []
    const some = () => running()[random(running().length)] ?? ''
    const acts = [
      async () => {
        const body = {
          assignedAgent: ['one', 'two'][random(2)],
          ...(random(3) > 0 && { repository: `acme/${random(3)}` }),
          priority: random(4) + 1,
        }
        for (let n = 0; n < 4; n += 1) ids.push(await create(body, random(2) === 0 ? ANN : BOB))
      },
      () => end(some()),
      () => end(some(), 'fail'),
      async () => {
        const id = random(2) === 0 ? some() : (ids[random(ids.length)] ?? '')
        const isCancelled = await service.tasks.cancel(ANN, id).then(
          () => true,
          () => false,
        )
        for (const one of open) if (isCancelled && one.id === id) open.delete(one)
      },
      async () => {
        const { items } = await service.deadLetters.list({ limit: 50 } as never)
        const item = items[random(items.length)]
        if (item?.status === 'pending') await service.deadLetters.retry(ANN, item.id)
      },
      () => set({ [CAPS[random(3)] ?? 'perUser']: isShared ? random(3) + 1 : random(4) }),
      () => service.pass(1_000 * random(5)),
    ]
    for (let step = 0; step < 250; step += 1) {
      await acts[random(acts.length)]?.()
      await turns()
      await settle()
    }
    expect(beyond).toEqual([])
    expect(ids.length).toBeGreaterThan(50)
    await set({ perAgent: 1, perRepository: 1, perUser: 1 })
    for (let n = 0; n < 3 * ids.length && running().length > 0; n += 1) {
      await end(running()[0] ?? '')
      await settle()
      if (isShared && running().length === 0) await service.sharedPlaces.repair()
      if (running().length === 0) await service.pass(20_000)
    }
    expect(beyond).toEqual([])
    const { body } = await createCaller(service)('GET /api/tasks?limit=200')
    const left = body.tasks.filter(({ status }: { status: string }) =>
      /queued|pending|in_progress/.test(status),
    )
    expect(left).toEqual([])
  })
})

describe('messages that an admission holds', () => {
  it('are looked at once each, however many wait and however often others are taken', async () => {
    let looks = 0
    const counts = new Map<string, number>()
    const admission = {
      holdsOwner: () => false,
      heldUnder: (repository: string) => {
        looks += 1
        return repository !== 'free' && (counts.get(repository) ?? 0) > 0 ? repository : undefined
      },
      reserve: (repository: string) => void counts.set(repository, 1),
      settle: () => undefined,
    }
    const queue = createMemoryQueue<string>({
      clock: createFakeClock(),
      log: createFakeLog(),
      concurrency: 1,
      admission,
    })
    const never = new AbortController().signal
    const take = async () => (await queue.receive(() => true, never))?.body
    for (let n = 0; n < 10_000; n += 1) await queue.send([{ body: 'a', priority: 1 }])
    for (let n = 0; n < 1_000; n += 1) await queue.send([{ body: 'free', priority: 3 }])
    expect(await take()).toBe('a')
    for (let n = 0; n < 1_000; n += 1) expect(await take()).toBe('free')
    expect(looks).toBeLessThan(13_000)
    counts.clear()
    queue.admit('a')
    expect(await take()).toBe('a')
    expect(looks).toBeLessThan(13_010)
    counts.clear()
    queue.admit()
    expect(await take()).toBe('a')
    expect(queue.depth().ready).toBe(9_997)
  })

  it('are settled when their handler ends, also in failure, and when a receiver gives them back', async () => {
    const heard: string[] = []
    const admission = {
      holdsOwner: () => false,
      heldUnder: () => undefined,
      reserve: (body: string) => void heard.push(`reserve ${body}`),
      settle: (body: string) => void heard.push(`settle ${body}`),
    }
    const queue = createMemoryQueue<string>({
      clock: createFakeClock(),
      log: createFakeLog(),
      concurrency: 1,
      admission,
    })
    await queue.send([{ body: 'given back', priority: 1 }])
    const message = await queue.receive(() => true, new AbortController().signal)
    message?.giveBack()
    queue.start(async ({ body }) => {
      if (body === 'fails') throw new Error('no')
    })
    await queue.send([{ body: 'fails', priority: 3 }])
    await turns()
    expect(heard).toEqual([
      'reserve given back',
      'settle given back',
      'reserve given back',
      'settle given back',
      'reserve fails',
      'settle fails',
    ])
  })
})
