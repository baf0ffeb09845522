import { fingerprintOf, REPLAY_MS, refuseReuse, replayKey } from '../core/idempotency.ts'
import type { Principal } from '../core/principal.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import type { TaskCreation } from './create.ts'
import type { Enqueue } from './enqueue.ts'
import type { Reconcile } from './reconcile.ts'
import { type CreateReplay, createReplays, publicTask, type TaskRow, tasks } from './rows.ts'
import type { CreateTask } from './schema.ts'
import type { Telling } from './telling.ts'

type Needs = {
  store: Store
  reconcile: Reconcile
  telling: Pick<Telling, 'birth'>
  enqueueing: Pick<Enqueue, 'enqueue'>
  creation: Pick<TaskCreation, 'rowOf' | 'followersOf'>
  clock: Clock
}

/**
 * Creates a task once per key: within 24 hours the same key and body answers the first task again, another body is
 * refused. The record of the key and the task are one write, so a duplicate in flight finds either both or none.
 */
export const createOnceCreation = (needs: Needs) => {
  const { store, reconcile, telling, enqueueing, creation, clock } = needs
  const replayOf = (principal: Principal, body: CreateTask, key: string, row: TaskRow): CreateReplay => ({
    key: replayKey(principal, key),
    bodyHash: fingerprintOf(body),
    task: publicTask(row),
    ...(row.born === undefined ? {} : { born: row.born }),
    expiresAt: clock.now() + REPLAY_MS,
  })

  /** One that could not be told stays pending: the tick that queues it tells it first. */
  const begin = async (row: TaskRow): Promise<void> => {
    if (await telling.birth(row)) await enqueueing.enqueue(row)
  }

  /**
   * A caller who asks again may not have heard the answer, for whoever owed it died: then the events of the task are
   * missing, or where storage has no transactions the task itself, of which its record has all there is.
   */
  const makeUpFor = async ({ task, born }: CreateReplay): Promise<void> => {
    if (born === undefined || (await reconcile.settle(task.id)) !== undefined) return
    const row = { ...task, fence: 0, born }
    await store.commit<TaskRow>({ insert: tasks, row })
    await begin(row)
  }

  return async (principal: Principal, body: CreateTask, key: string) => {
    const row = reconcile.born(creation.rowOf(principal, body))
    const replay = replayOf(principal, body, key, row)
    const followers = [{ insert: tasks, row }, ...creation.followersOf(row)]
    const head = { insert: createReplays, row: replay }
    const { applied, row: earlier } = await store.commit(head, followers, true)
    if (applied) {
      await begin(row)
      // The task as it was stored, which is what every replay answers too.
      return { task: replay.task, replayed: false }
    }
    if (earlier === undefined) throw new Error('A record that stood in the way is not there')
    refuseReuse(earlier.bodyHash, replay.bodyHash)
    await makeUpFor(earlier)
    return { task: earlier.task, replayed: true }
  }
}
