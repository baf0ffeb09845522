import { Problem } from '../../lib/core/errors.ts'
import type { TaskRow } from '../../lib/tasks/rows.ts'
import type { RunTask, Task } from '../../lib/tasks/schema.ts'
import { createFakeAgent } from '../fakes/agent.ts'
import { ANN, startDomains, turns } from '../fakes/service.ts'
import { createWitness } from './witness.ts'

export const OPERATIONS = [
  'create',
  'cancel',
  'retry',
  'claim',
  'work',
  'succeed',
  'fail',
  'give up',
  'release',
  'renew',
  'recover',
  'redrive',
  'discard',
  'tick',
  'rest',
] as const

/** What to do, to which of the things there are, after how many turns its storage calls arrive. */
export type Operation = { do: (typeof OPERATIONS)[number]; pick: number; lag: number }

export type Sequence = { durable: boolean; firstOutcome: number; operations: readonly Operation[] }

const OUTCOMES = [
  async () => ({ success: true, output: 'done' }),
  async () => ({ success: false, output: 'no' }),
  () => Promise.reject(new Error('broken')),
  () => Promise.reject(Object.assign(new Error('never'), { retryable: false })),
] as const

/** A service without workers of its own, in which every operation of a sequence is begun without awaiting the last. */
export const play = async ({ durable, firstOutcome, operations }: Sequence) => {
  const witness = createWitness()
  const sent: RunTask[] = []
  const known: string[] = []
  const held: TaskRow[] = []
  let lag = 0
  let outcome = firstOutcome
  const execute = async () => {
    await turns(outcome % 3)
    return (OUTCOMES[outcome++ % 4] ?? OUTCOMES[0])()
  }
  // A durable queue refuses the first message of every third task, which stays pending until a tick.
  const refused = new Set<string>()
  const take = (message: RunTask) => {
    const { taskId } = message
    if (durable && Number(taskId.slice(-4)) % 3 === 0 && !refused.has(taskId)) {
      refused.add(taskId)
      throw new Problem('unavailable', 'queue_unavailable', 'not now')
    }
    sent.push(message)
  }
  const adapters = [createFakeAgent(execute), createFakeAgent(execute, { type: 'other' })]
  const service = await startDomains({
    adapters,
    background: false,
    env: { QUEUE_RETRY_ATTEMPTS: '2' },
    wrapStore: (real) => witness.over(real, () => turns(lag)),
    wrapTaskQueue: (real) =>
      Object.assign(Object.create(real), {
        durable,
        send: async (messages: { body: RunTask }[]) => {
          for (const { body } of messages) take(body)
        },
      }),
  })
  const { tasks, deadLetters } = service
  const { runs } = tasks
  const letters = async () => (await deadLetters.list({ status: 'all', limit: 200 })).items
  const at = <T>(list: readonly T[], pick: number): T | undefined => list[pick % Math.max(1, list.length)]
  const add = ({ id }: Task) => void known.push(id)
  const error = { code: 'broken', message: 'broken' }

  const on = async <T>(list: readonly T[], pick: number, call: (one: T) => Promise<unknown>) => {
    const one = at(list, pick)
    if (one !== undefined) await call(one)
  }
  const perform: Record<Operation['do'], (pick: number) => Promise<unknown>> = {
    create: async (pick) =>
      add(
        await service.create({
          priority: (pick % 4) + 1,
          source: ['api', 'cron', 'codehost'][pick % 3],
          assignedAgent: ['test-agent', 'other'][pick % 2],
        }),
      ),
    cancel: (pick) => on(known, pick, (id) => tasks.cancel(ANN, id)),
    retry: (pick) => on(known, pick, async (id) => add(await tasks.retry(ANN, id))),
    claim: (pick) =>
      on(sent, pick, async (message) => {
        const claimed = (await runs.claim(message))?.task
        if (claimed) held.push(claimed)
      }),
    // Mostly what was sent last, for most of what is older has been worked on.
    work: (pick) => on(pick % 4 ? sent.slice(-4) : sent, pick, service.worker.run),
    succeed: (pick) => on(held, pick, (row) => runs.succeed(row, { success: true, output: '' })),
    fail: (pick) =>
      on(held, pick, (row) =>
        row.attempts < row.maxAttempts ? runs.retry(row, error, 0) : runs.exhaust(row, error),
      ),
    'give up': (pick) => on(held, pick, (row) => runs.exhaust(row, error)),
    release: (pick) => on(held, pick, (row) => runs.release(row, 'shutdown')),
    renew: (pick) => on(held, pick, (row) => runs.renew(row, 'still here')),
    recover: (pick) => on(held, pick, runs.recover),
    redrive: async (pick) => on(await letters(), pick, ({ id }) => deadLetters.retry(id)),
    discard: async (pick) => on(await letters(), pick, ({ id }) => deadLetters.discard(id)),
    tick: async () => {
      service.clock.advance(40_000)
      await tasks.recovery.tick(service.active.has)
    },
    rest: () => turns(10),
  }

  const begun: Promise<unknown>[] = []
  for (let first = 0; first < 3; first++) await perform.create(first)
  for (const operation of operations) {
    lag = operation.lag
    // A refusal (a conflict, nothing there) is an answer like any other; bugs come out as other errors.
    begun.push(perform[operation.do](operation.pick).catch(expectRefusal))
    await turns(operation.pick % 2)
  }
  lag = 0
  const all = Promise.all(begun)
  let isOver = false
  const end = () => {
    isOver = true
  }
  all.then(end, end)
  // A worker may wait a moment for the task of a message that was faster.
  while (!isOver) {
    service.clock.advance(50)
    await turns(1)
  }
  await all
  await turns()
  return { service, witness, sent }
}

const REFUSALS = ['task_state_conflict', 'dead_letter_not_pending', 'task_not_queued_yet']
const expectRefusal = (thrown: unknown) => {
  const { code } = thrown as { code?: string }
  if (!REFUSALS.includes(code ?? '')) throw thrown
}
