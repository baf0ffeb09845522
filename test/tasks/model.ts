import type { RunTask, Task, TaskRow } from '../../lib/tasks/schema.ts'
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
  'lose',
  'redrive',
  'discard',
  'tick',
  'rest',
] as const

/** What to do, to which of the things there are, after how many turns its storage calls arrive. */
export type Operation = { do: (typeof OPERATIONS)[number]; pick: number; lag: number }

export type Sequence = { firstOutcome: number; operations: readonly Operation[] }

const OUTCOMES = [
  async () => ({ success: true, output: 'done' }),
  async () => ({ success: false, output: 'no' }),
  () => Promise.reject(new Error('broken')),
  () => Promise.reject(Object.assign(new Error('never'), { retryable: false })),
] as const

/** Retries that are due later than the queue can delay are pending for a while. */
const LONGEST_DELAY_MS = 500

/**
 * A service without workers of its own, in which every operation of a sequence is begun without awaiting the last. What
 * storage sends is taken from the messages so far in any order, late, twice or never.
 */
export const play = async ({ firstOutcome, operations }: Sequence) => {
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
  const adapters = [createFakeAgent(execute), createFakeAgent(execute, { type: 'other' })]
  const service = await startDomains({
    adapters,
    background: false,
    env: { QUEUE_RETRY_ATTEMPTS: '2' },
    wrapStore: (real) => witness.over(real, () => turns(lag)),
    wrapTaskQueue: (real) =>
      Object.assign(Object.create(real), {
        longestDelayMs: LONGEST_DELAY_MS,
        send: async (messages: { body: RunTask }[]) => void sent.push(...messages.map(({ body }) => body)),
      }),
  })
  service.store.start()
  const { tasks, deadLetters } = service
  const { lease } = tasks
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
        const claimed = await lease.claim(message)
        if (claimed) held.push(claimed)
      }),
    // Mostly what was sent last, for most of what is older has been worked on.
    work: (pick) => on(pick % 4 ? sent.slice(-4) : sent, pick, service.worker.run),
    succeed: (pick) => on(held, pick, (row) => lease.succeed(row, { success: true, output: '' })),
    fail: (pick) =>
      on(held, pick, (row) =>
        row.attempts < row.maxAttempts
          ? lease.retry(row, error, (pick % 3) * LONGEST_DELAY_MS)
          : lease.fail(row, error),
      ),
    'give up': (pick) => on(held, pick, (row) => lease.fail(row, error)),
    release: (pick) => on(held, pick, (row) => lease.release(row, 'shutdown')),
    renew: (pick) => on(held, pick, (row) => lease.renew(row, 'still here')),
    recover: (pick) => on(held, pick, lease.recover),
    lose: (pick) =>
      on(pick % 4 ? sent.slice(-4) : sent, pick, (message) => lease.markUndeliverable(message, error)),
    redrive: async (pick) => on(await letters(), pick, ({ id }) => deadLetters.retry(ANN, id)),
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
  // Writes of a run are tried again for a moment.
  while (!isOver) {
    service.clock.advance(50)
    await turns(1)
  }
  await all
  await turns()
  return { service, witness, sent }
}

// A tick lets 40 seconds pass: progress that was being appended then is reported as not answered in time.
const REFUSALS = ['task_state_conflict', 'dead_letter_not_pending', 'storage_unavailable']
const expectRefusal = (thrown: unknown) => {
  const { code } = thrown as { code?: string }
  if (!REFUSALS.includes(code ?? '')) throw thrown
}
