import { beforeEach, describe, expect, it } from '@jest/globals'
import { Problem } from '../../lib/core/errors.ts'
import type { Follower, Followers, Store, Write } from '../../lib/ports/store.ts'
import { deadLetters } from '../../lib/queue/rows.ts'
import type { DlqItem } from '../../lib/queue/schema.ts'
import { tasks } from '../../lib/tasks/rows.ts'
import { startDynalite } from '../../offline/emulators.ts'
import { databaseForTests } from '../fakes/database.ts'
import { createMortal } from '../tasks/reconcile-deaths.ts'
import { ANN, BODY } from '../tasks/reconcile-verbs.ts'
import { openWorld, type Service, type World } from '../tasks/reconcile-world.ts'

const database = databaseForTests(startDynalite)
let world: World
let service: Service
beforeEach(async () => {
  world = await openWorld(database().client)
  service = world.serve()
})

const BROKEN = { code: 'broken', message: 'It broke' }
const NOT_PENDING = { kind: 'invalid', code: 'dead_letter_not_pending' }
const UNAVAILABLE = { kind: 'unavailable' }

/** Claims the task and gives it up; answers its newest dead letter. */
const fail = async (taskId: string): Promise<string> => {
  world.clock.advance(1_000)
  const claim = await service.runs.claim({ taskId, attempt: 1 })
  world.clock.advance(1_000)
  if (claim) await service.runs.exhaust(claim.task, BROKEN)
  world.clock.advance(1_000)
  const { rows } = await world.store.page<DlqItem>(deadLetters, { index: 'newest', order: 'desc', limit: 1 })
  return rows[0]?.id ?? ''
}
const failed = async () => {
  const { id: taskId } = await service.create(ANN, BODY)
  const letterId = await fail(taskId)
  world.sent.length = 0
  return { taskId, letterId }
}

/** What is there of the task, and how often its retry is told. */
const found = async (taskId: string, letterId: string) => {
  const { status, attempts } = await service.get(taskId)
  const { events } = await service.events(taskId)
  return {
    letter: (await world.store.get(deadLetters, letterId))?.status,
    task: { status, attempts },
    retried: events.filter(({ type }) => type === 'retried').length,
    sent: world.sent,
  }
}
const onItsWay = (taskId: string) => ({
  letter: 'resolved',
  task: { status: 'queued', attempts: 0 },
  retried: 1,
  sent: [{ taskId, attempt: 1 }],
})
const LOST = { letter: 'resolved', task: { status: 'failed', attempts: 1 }, retried: 0, sent: [] }

/** A process that closes the letter, and dies before it moves the task. */
const dieOverRetry = async (letterId: string) => {
  const { through, dieOver } = createMortal('before anything follows')
  const mortal = world.serve(through)
  await dieOver(() => mortal.letters.retry(letterId))
}

type Row = Record<string, unknown>
type Change = [head: Write<Row>, followers?: Followers<Row>, detail?: boolean]

const isOf = (one: Follower, of: object) => 'update' in one && (one.update as object) === of

/** Storage that closes letters and refuses what follows, and, when told so, what is done to tasks later. */
const refusing =
  (moves: boolean) =>
  (real: Store): Store => {
    const refused = () => Promise.reject(new Problem('unavailable', 'storage_unavailable', 'not now'))
    const commit = async (...[head, followers, detail]: Change) => {
      if (moves && isOf(head, tasks)) return refused()
      if (!isOf(head, deadLetters)) return real.commit(head, followers, detail)
      const outcome = await real.commit(head)
      return outcome.applied ? refused() : outcome
    }
    return { ...real, commit } as unknown as Store
  }

describe('the retry of a dead letter, where letter and task are not one transaction', () => {
  it('is finished by the next one, when its process died before it moved the task', async () => {
    const { taskId, letterId } = await failed()
    await dieOverRetry(letterId)
    expect(await found(taskId, letterId)).toEqual(LOST)
    expect(await service.letters.retry(letterId)).toMatchObject({
      item: { id: letterId, status: 'resolved' },
      task: { id: taskId, status: 'queued', attempts: 0 },
    })
    expect(await found(taskId, letterId)).toEqual(onItsWay(taskId))
    const { totals } = await world.shown()
    expect(totals).toMatchObject({ 'status:queued': 1 })
    expect(totals).not.toHaveProperty('status:failed')
  })

  it('is finished once, when several ask for the rest at once', async () => {
    const { taskId, letterId } = await failed()
    await dieOverRetry(letterId)
    await Promise.allSettled(Array.from({ length: 5 }, () => world.serve().letters.retry(letterId)))
    const { sent, ...rest } = await found(taskId, letterId)
    expect({ ...rest, sent: sent.slice(0, 1) }).toEqual(onItsWay(taskId))
    expect((await world.shown()).totals).toMatchObject({ 'status:queued': 1 })
  })

  it('is refused once the task is on its way, and when it has failed once more', async () => {
    const { taskId, letterId } = await failed()
    await dieOverRetry(letterId)
    await service.letters.retry(letterId)
    await expect(service.letters.retry(letterId)).rejects.toMatchObject(NOT_PENDING)
    const next = await fail(taskId)
    await expect(service.letters.retry(letterId)).rejects.toMatchObject(NOT_PENDING)
    expect(await found(taskId, next)).toMatchObject({ letter: 'pending', task: { status: 'failed' } })
  })

  it('stays refused for a letter that was discarded', async () => {
    const { taskId, letterId } = await failed()
    await service.letters.discard(letterId)
    await expect(service.letters.retry(letterId)).rejects.toMatchObject(NOT_PENDING)
    expect(await found(taskId, letterId)).toMatchObject({ letter: 'discarded', task: { status: 'failed' } })
  })

  it('moves the task itself, when storage closed the letter and refused the rest', async () => {
    const { taskId, letterId } = await failed()
    const { task } = await world.serve(refusing(false)).letters.retry(letterId)
    expect(task).toMatchObject({ id: taskId, status: 'queued', attempts: 0 })
    for (const field of ['error', 'completedAt', 'startedAt']) expect(task).not.toHaveProperty(field)
    expect(await found(taskId, letterId)).toEqual(onItsWay(taskId))
  })

  it('says so when storage refuses that too, and is finished by the next one', async () => {
    const { taskId, letterId } = await failed()
    await expect(world.serve(refusing(true)).letters.retry(letterId)).rejects.toMatchObject(UNAVAILABLE)
    expect(await found(taskId, letterId)).toEqual(LOST)
    await service.letters.retry(letterId)
    expect(await found(taskId, letterId)).toEqual(onItsWay(taskId))
  })

  it('leaves a later failure to its own letter, when it is that late', async () => {
    const { taskId, letterId } = await failed()
    const before = await service.get(taskId)
    await service.letters.retry(letterId)
    const next = await fail(taskId)
    await service.redrive.send(before)
    const change = { update: deadLetters, key: letterId, set: { title: 'Late' } }
    await world.store.commit<DlqItem>(change, service.redrive.writes(before))
    expect(await found(taskId, next)).toMatchObject({ letter: 'pending', task: { status: 'failed' } })
  })
})
