import { messageOf } from '../core/errors.ts'
import { iso } from '../core/time.ts'
import type { AddDelivery } from '../deliveries/schema.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Position, Store } from '../ports/store.ts'
import type { Task } from '../tasks/schema.ts'
import { envelopeOf } from './envelope.ts'
import type { GatewayTasks } from './needs.ts'
import { type GatewayRequest, gatewayRequests, requestIdOf } from './rows.ts'

type Needs = {
  store: Store
  tasks: Pick<GatewayTasks, 'find' | 'isOver'>
  addDelivery: AddDelivery
  clock: Clock
  log: Log
}

const PAGE = 100
/** Whoever ends a task tells of it within moments; this is for those who died before. */
const LEFT_BEHIND_MS = 10_000
/** A request without its task after so long never had one: its caller had no answer. */
export const ABANDONED_MS = 60_000

/**
 * Makes a delivery of the end of a task that somebody wants to hear of. The delivery is made first, under an id that
 * follows from the end, and the request closed after it: whoever does it again makes no second one.
 */
export const createNotify = ({ store, tasks, addDelivery, clock, log }: Needs) => {
  let place: Position | undefined

  const close = (id: string) =>
    store.commit<GatewayRequest>({ update: gatewayRequests, key: id, unset: ['openSince'] })

  const notify = async ({ id, notifyUrl, secret }: GatewayRequest, task: Task): Promise<void> => {
    if (notifyUrl === undefined) return
    await addDelivery({ ...envelopeOf(id, task), owner: id, url: notifyUrl, ...(secret ? { secret } : {}) })
    await close(id)
  }

  const repairOne = async ({ id, taskId }: GatewayRequest): Promise<void> => {
    const isOver = await tasks.isOver(taskId)
    if (isOver === false) return
    const task = isOver ? await tasks.find(taskId) : undefined
    const request = await store.get(gatewayRequests, id)
    if (task && request) await notify(request, task)
    else if (isOver === undefined && isAbandoned(request, clock)) await close(id)
  }

  /** A request that cannot be helped now keeps none of the others from their turn; it comes again with the next round. */
  const repairLogged = (row: GatewayRequest): Promise<void> =>
    repairOne(row).catch((thrown) =>
      log.error({ requestId: row.id, reason: messageOf(thrown) }, 'the end of a task was not told yet'),
    )

  return {
    /** Notifies of a task that has just ended. Whoever ended it is not to suffer when that fails: repair makes up for it. */
    ended: async (task: Task): Promise<void> => {
      // Tasks that the gateway did not make have as a rule no workflow, and are not looked for.
      if (task.metadata?.workflow === undefined) return
      try {
        const request = await store.get(gatewayRequests, requestIdOf(task.id))
        if (request) await notify(request, task)
      } catch (thrown) {
        log.warn({ taskId: task.id, reason: messageOf(thrown) }, 'the end of a task was not told yet')
      }
    },

    /** Goes on through the requests that are open, a page with each call, for those whose task ended untold. */
    repair: async (): Promise<void> => {
      const { rows, next } = await store.page(gatewayRequests, {
        index: 'open',
        order: 'asc',
        where: [{ field: 'openSince', to: iso(clock.now() - LEFT_BEHIND_MS) }],
        limit: PAGE,
        ...(place ? { after: place } : {}),
      })
      await Promise.all(rows.map(repairLogged))
      place = next
    },

    /** The task of a request runs again: what it comes to then is to be told too. */
    reopen: async (taskId: string): Promise<void> => {
      const request = await store.get(gatewayRequests, requestIdOf(taskId))
      if (request?.notifyUrl === undefined) return
      await store.commit<GatewayRequest>({
        update: gatewayRequests,
        key: request.id,
        set: { openSince: iso(clock.now()) },
      })
    },
  }
}

/** Whether nobody is on the way to make the task of a request any more. */
export const isAbandoned = (request: GatewayRequest | undefined, clock: Pick<Clock, 'now'>): boolean =>
  request !== undefined && clock.now() - Date.parse(request.createdAt) > ABANDONED_MS
