import { iso } from '../../lib/core/time.ts'
import { type GatewayRequest, gatewayRequests, requestIdOf } from '../../lib/gateway/rows.ts'
import { type TaskRow, tasks } from '../../lib/tasks/rows.ts'
import { inboundEvents } from '../../lib/webhooks/rows.ts'
import type { startCloud } from './cloud.ts'
import type { Functions } from './functions.ts'
import { besides } from './use-seldom.ts'
import { leaveEvents } from './use-webhooks.ts'

const MINUTE_MS = 60_000
const LONG = 'word '.repeat(10_000)

type Cloud = Awaited<ReturnType<typeof startCloud>>

/**
 * What the tick is there for: tasks that were left pending, and tasks whose worker died, in their last attempt or in one
 * before, in each lane and each with somebody to be told; events from elsewhere that have come to no task yet.
 */
export const useTick = async (functions: Functions, cloud: Cloud, token: string) => {
  const submit = async (more: object): Promise<string> => {
    const task = { title: 'Task', prompt: LONG, assignedAgent: 'moody', ...more }
    const body = { task, options: { notifyUrl: 'http://127.0.0.1:9/', notifySecret: 'secret' } }
    const { taskId } = await functions.http('gateway', 'POST /api/gateway', body, {
      authorization: `Bearer ${token}`,
    })
    return String(taskId)
  }
  // Word of a long result that nobody took.
  const told = await submit({ metadata: { words: 10_000 } })
  await functions.feed('worker', 'ai-tasks')
  const { store, clock, stop } = await besides(cloud)
  // Whoever told of its end died before the request was closed.
  const openSince = iso(clock.now() - MINUTE_MS)
  await store.commit<GatewayRequest>({ update: gatewayRequests, key: requestIdOf(told), set: { openSince } })
  const pending = { status: 'pending', updatedAt: iso(clock.now() - MINUTE_MS) } as const
  const abandoned = { status: 'in_progress', fence: 1, leaseExpiresAt: clock.now() - MINUTE_MS } as const
  const left: Partial<TaskRow>[] = [pending, { ...abandoned, attempts: 1 }, { ...abandoned, attempts: 9 }]
  for (const priority of [1, 3])
    for (const set of left)
      await store.commit<TaskRow>({ update: tasks, key: await submit({ priority }), set })
  await leaveEvents(store, clock)
  await functions.invoke('tick', {})
  if ((await store.page(inboundEvents, { index: 'open', order: 'asc', limit: 1 })).rows.length > 0)
    throw new Error('The tick left an event without its task')
  for (const status of ['pending', 'in_progress'] as const)
    if ((await store.count(tasks, { index: 'byStatus', is: status })) > 0)
      throw new Error(`The tick left what was ${status}`)
  stop()
}
