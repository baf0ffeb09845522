import { describe, expect, it } from '@jest/globals'
import { notifications } from '../../lib/notifications/rows.ts'
import { databaseForTests } from '../fakes/database.ts'
import { createMortal, createSlow, type Death } from './reconcile-deaths.ts'
import { ANN, BODY, CASES, VERBS, type Verb } from './reconcile-verbs.ts'
import { openWorld, type Service, type World } from './reconcile-world.ts'

const database = databaseForTests()

/** Ticks until the counters have been looked at, suspected, corrected and looked at again. */
const checked = async (service: Service, { clock }: World) => {
  for (let tick = 0; tick < 8; tick += 1) {
    clock.advance(1_000)
    await service.checkCounters()
  }
}

/**
 * A life in which the verb is the last that a process does, or, without a death, one of many. Where there is evidence of
 * the death, the logs are whole without the counters' check.
 */
const lived = async ({ before, act, next, evidence }: Verb, death?: Death) => {
  const world = await openWorld(database().client)
  const others = world.serve()
  await before?.(others, world)
  world.clock.advance(1_000)
  if (death === undefined) await act(others, world)
  else {
    const { through, dieOver } = createMortal(death)
    const mortal = world.serve(through)
    await dieOver(() => act(mortal, world))
  }
  world.clock.advance(1_000)
  await next?.(others, world)
  await evidence?.(others, world)
  const logs = evidence && (await world.shown()).logs
  await checked(others, world)
  return { ...(await world.shown()), logsBeforeCheck: logs }
}

/** The same life, but the process lives, and tells what it did when others have told it already. */
const livedSlowly = async ({ before, act, evidence }: Verb) => {
  const world = await openWorld(database().client)
  const others = world.serve()
  await before?.(others, world)
  world.clock.advance(1_000)
  const { through, standing, goOn } = createSlow()
  const acted = act(world.serve(through), world)
  await standing
  world.clock.advance(1_000)
  await evidence?.(others, world)
  const { logs } = await world.shown()
  goOn()
  await acted
  await checked(others, world)
  return { ...(await world.shown()), logsBeforeCheck: logs }
}

const BROKEN = { code: 'broken', message: 'It broke' }

const redriven = async ({ letters }: Service, taskId: string) => {
  const { items } = await letters.list({ status: 'pending', limit: 10, offset: 0 } as Listed)
  const letter = items.find((item) => item.taskId === taskId)
  return letters.retry(letter?.id ?? '')
}
type Listed = Parameters<Service['letters']['list']>[0]

/** What a writer that goes on after it was overtaken has still to do. */
const SLOW = VERBS.filter(({ evidence }) => evidence !== undefined).map((verb) => [verb.name, verb] as const)

describe('what follows from a write, when its process dies over it', () => {
  it.each(CASES)('is made up for: %s, %s', async (_, death, verb) => {
    const [undisturbed, disturbed] = [await lived(verb), await lived(verb, death)]
    // Totals are told with their event, and only what was lost between the two needs a correction.
    expect(disturbed).toEqual({ ...undisturbed, isCorrected: death === 'between the event and its totals' })
  })

  it.each(SLOW)('is told and counted once when it was slow, and did not die: %s', async (_, verb) => {
    expect(await livedSlowly(verb)).toEqual(await lived(verb))
  })

  it('is told and counted once, however many make up for it at once', async () => {
    const world = await openWorld(database().client)
    const others = Array.from({ length: 5 }, () => world.serve())
    const [first] = others
    const { id } = (await first?.create(ANN, BODY)) ?? { id: '' }
    const { through, dieOver } = createMortal('before anything follows')
    const mortal = world.serve(through)
    world.clock.advance(1_000)
    const claim = await first?.runs.claim({ taskId: id, attempt: 1 })
    world.clock.advance(1_000)
    await dieOver(async () => claim && mortal.runs.exhaust(claim.task, BROKEN))
    await Promise.all(others.flatMap(({ runs }) => [1, 2].map(() => runs.overtaken(id))))
    const { logs, totals, daily, letters, letterTotals, announced } = await world.shown()
    expect(logs[0]?.events.map(({ type }) => type)).toEqual(['created', 'queued', 'started', 'failed'])
    expect(totals).toMatchObject({ 'status:failed': 1, 'failed:test-agent': 1 })
    expect(Object.values(daily)).toEqual([{ created: 1, failed: 1 }])
    expect([letters.length, letterTotals, announced.length]).toEqual([1, { pending: 1, total: 1 }, 1])
  })

  it.each([
    ['cancels', 'in_progress', (others: Service, id: string) => others.cancel(ANN, id), 'cancelled'],
    ['redrives', 'failed', redriven, 'retried'],
  ] as const)('is made up for by whoever %s the task that was left %s', async (_, status, act, last) => {
    const world = await openWorld(database().client)
    const others = world.serve()
    const { through, dieOver } = createMortal('before the event')
    const mortal = world.serve(through)
    const { id } = await others.create(ANN, BODY)
    world.clock.advance(1_000)
    const message = { taskId: id, attempt: 1 }
    if (status === 'in_progress') await dieOver(() => mortal.runs.claim(message))
    else {
      const claim = await others.runs.claim(message)
      world.clock.advance(1_000)
      await dieOver(async () => claim && mortal.runs.exhaust(claim.task, BROKEN))
    }
    world.clock.advance(1_000)
    await act(others, id)
    const between = status === 'failed' ? ['started', 'failed'] : ['started']
    const { events } = await others.events(id)
    expect(events.map(({ type }) => type)).toEqual(['created', 'queued', ...between, last])
  })

  it('is told by the next try, when storage took the move and not the event', async () => {
    const world = await openWorld(database().client)
    const service = world.serve()
    const { id } = await service.create(ANN, BODY)
    world.clock.advance(1_000)
    const claim = await service.runs.claim({ taskId: id, attempt: 1 })
    const { through, dieOver } = createMortal('before the event')
    const failing = world.serve(through)
    const end = async ({ runs }: Service) => claim && runs.succeed(claim.task, { success: true, output: '' })
    world.clock.advance(1_000)
    await dieOver(() => end(failing))
    expect(await end(service)).toBeUndefined()
    const { events } = await service.events(id)
    expect(events.map(({ type }) => type)).toEqual(['created', 'queued', 'started', 'completed'])
  })

  it('is not announced again once it was told', async () => {
    const world = await openWorld(database().client)
    const service = world.serve()
    const { id } = await service.create(ANN, BODY)
    const claim = await service.runs.claim({ taskId: id, attempt: 1 })
    if (claim) await service.runs.exhaust(claim.task, BROKEN)
    const [announcementId = ''] = world.told
    await service.outbox.deliver({ announcementId })
    await service.runs.claim({ taskId: id, attempt: 1 })
    await service.outbox.deliver({ announcementId })
    expect((await world.shown()).announced).toEqual([])
    expect(await world.store.count(notifications, { index: 'newest' })).toBe(1)
  })
})
