import type { Principal } from '../../lib/core/principal.ts'
import { tasks } from '../../lib/tasks/rows.ts'
import { CreateTaskSchema } from '../../lib/tasks/schema.ts'
import { DEATHS, type Death } from './reconcile-deaths.ts'
import type { Service, World } from './reconcile-world.ts'

type Step = (service: Service, world: World) => Promise<unknown>

/** A verb over which a process dies: what was before it, the verb, and what gives others reason to doubt. */
export type Verb = {
  name: string
  before?: Step
  act: Step
  /** What others do, who have no reason to doubt. */
  next?: Step
  /** Absent where nothing tells of the death but the counters. */
  evidence?: Step
  /** Deaths that are not made up for, or that storage rules out: each with its reason below. */
  not?: readonly Death[]
}

export const ANN: Principal = { userId: 'user_ann', role: 'user' }
export const BODY = CreateTaskSchema.parse({
  title: 'A task',
  priority: 2,
  metadata: { workflow: 'review' },
})
const KEY = 'key'
const BROKEN = { code: 'broken', message: 'It broke' }
const LOST = { code: 'undeliverable', message: 'The queue gave up' }

const firstOf = async (service: Service) => {
  const [task] = (await service.list({ limit: 1, offset: 0 } as Parameters<Service['list']>[0])).tasks
  return task?.id ?? ''
}
const message = async (service: Service, attempt = 1) => ({ taskId: await firstOf(service), attempt })

const create: Step = (service) => service.create(ANN, BODY)
const claim: Step = async (service) => service.runs.claim(await message(service))
const claimed: Step = async (service, world) => {
  await create(service, world)
  await claim(service, world)
}
/** The task as its worker holds it. */
const held = async (service: Service, { store }: World) => {
  const row = await store.get(tasks, await firstOf(service), true)
  if (row === undefined) throw new Error('there is no task')
  return row
}
const tick: Step = (service) => service.recovery.tick(() => false)
const later =
  (ms: number, step: Step): Step =>
  async (service, world) => {
    world.clock.advance(ms)
    await step(service, world)
  }
const refused: Step = async (service, world) => {
  world.faults.refuse = true
  await create(service, world)
  world.faults.refuse = false
  world.clock.advance(11_000)
}
const exhaust: Step = async (service, world) => service.runs.exhaust(await held(service, world), BROKEN)
const failed: Step = async (service, world) => {
  await claimed(service, world)
  await exhaust(service, world)
}
const lastLetter = async ({ letters }: Service) =>
  (await letters.list({ status: 'pending', limit: 1, offset: 0 } as Parameters<typeof letters.list>[0]))
    .items[0]?.id ?? ''

const LEASE_OVER_MS = 61_000
const GRACE_OVER_MS = 11_000
// How often a task failed, rows do not say: it stays counted when the task is queued again.
const NO_RECOUNT: readonly Death[] = ['between the event and its totals']
// A dead letter and its task are one transaction.
const WITH_TASK: readonly Death[] = ['before anything follows']

export const VERBS: readonly Verb[] = [
  { name: 'create', act: create },
  {
    name: 'create under a key',
    act: (service) => service.createOnce(ANN, BODY, KEY),
    evidence: async (service, world) => {
      await service.createOnce(ANN, BODY, KEY)
      await later(GRACE_OVER_MS, tick)(service, world)
    },
  },
  {
    name: 'retry as a new task',
    before: async (service, world) => {
      await create(service, world)
      await service.cancel(ANN, await firstOf(service))
      world.clock.advance(1_000)
    },
    act: async (service) => service.retry(ANN, await firstOf(service)),
  },
  {
    name: 'import',
    act: (service) =>
      service.importAll(ANN, {
        version: '1.0',
        tasks: [{ ...BODY, id: 'old-1', status: 'pending', createdAt: '2025-12-31T00:00:00.000Z' }],
      }),
    evidence: later(GRACE_OVER_MS, tick),
  },
  { name: 'enqueue', before: refused, act: tick },
  { name: 'enqueue of a task that is claimed then', before: refused, act: tick, next: claim },
  { name: 'start', before: create, act: claim, evidence: later(LEASE_OVER_MS, tick) },
  {
    name: 'succeed',
    before: claimed,
    act: async (service, world) =>
      service.runs.succeed(await held(service, world), { success: true, output: 'done' }),
    evidence: claim,
  },
  {
    name: 'retry',
    before: claimed,
    act: async (service, world) => service.runs.retry(await held(service, world), BROKEN, 5_000),
    evidence: later(GRACE_OVER_MS, tick),
  },
  {
    name: 'release',
    before: claimed,
    act: async (service, world) => service.runs.release(await held(service, world), 'shutdown'),
    evidence: later(GRACE_OVER_MS, tick),
  },
  { name: 'recover', before: claimed, act: later(LEASE_OVER_MS, tick), evidence: later(GRACE_OVER_MS, tick) },
  { name: 'exhaust', before: claimed, act: exhaust, evidence: claim, not: NO_RECOUNT },
  {
    name: 'lose',
    before: create,
    act: async (service) => service.runs.undeliverable(await message(service), LOST),
    evidence: async (service) => service.runs.undeliverable(await message(service), LOST),
    not: NO_RECOUNT,
  },
  {
    name: 'cancel',
    before: create,
    act: async (service) => service.cancel(ANN, await firstOf(service)),
    evidence: claim,
  },
  {
    name: 'redrive',
    before: failed,
    act: async (service) => service.letters.retry(await lastLetter(service)),
    evidence: later(GRACE_OVER_MS, tick),
    not: WITH_TASK,
  },
]

export const CASES = VERBS.flatMap((verb) =>
  DEATHS.filter((death) => !verb.not?.includes(death)).map((death) => [verb.name, death, verb] as const),
)
