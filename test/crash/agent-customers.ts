import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '../../lib/api/api-error.ts'
import { isFinal } from '../../lib/tasks/machine.ts'
import { type Connection, connect } from '../journeys/client.ts'
import type { Journal } from './agent-journal.ts'
import { makeOrder, messageText, type Order, verdictOn } from './agent-orders.ts'
import { seededRandom, upTo } from './random.ts'

export type AcceptedOrder = Order & { id: string }

type Needs = {
  /** Where the service is, while it is up. */
  address: () => string | undefined
  isOver: () => boolean
  /** Whether an order that has not ended is given up: the audit then says what it lacks. */
  isLate: () => boolean
  journal: Journal
  random: () => number
}

const CUSTOMERS = 4
const LONGEST_PAUSE_MS = 900
const LONGEST_DECISION_MS = 600

/** Tries until there is an answer: the service may be dead, or die before it answers. Throws what it refuses. */
const insisted = async <T>(
  { address, isLate }: Pick<Needs, 'address' | 'isLate'>,
  work: (at: Connection) => Promise<T>,
): Promise<T> => {
  for (;;) {
    const url = address()
    try {
      if (url !== undefined) return await work(connect(url))
    } catch (thrown) {
      // A connection that was cut is a TypeError, and half an answer a SyntaxError.
      const isRefused = thrown instanceof ApiError && thrown.status !== 503
      if (
        isRefused ||
        !(thrown instanceof ApiError || thrown instanceof TypeError || thrown instanceof SyntaxError)
      )
        throw thrown
    }
    if (isLate()) throw new Error('The service does not answer')
    await sleep(20)
  }
}

/** Gives one order after the other, with its replies at any time. Resolves to those that were accepted. */
const placeOrders = async (name: string, needs: Needs): Promise<AcceptedOrder[]> => {
  const { isOver, isLate, journal, random } = needs
  const keyed = (order: Order, place: number) => ({
    headers: { 'idempotency-key': `${order.name}.${place}` },
  })
  const create = async (order: Order): Promise<AcceptedOrder> => {
    const { approvalTtlMs } = order
    const body = {
      title: `${order.name}.0`,
      prompt: messageText(order, 0),
      assignedAgent: 'reporting',
      metadata: { securityMode: 'ask', ...(approvalTtlMs !== undefined && { approvalTtlMs }) },
    }
    const { task } = await insisted(needs, ({ client }) => client.createTask({ body }, keyed(order, 0)))
    journal.add({ did: 'creates', thread: task.id })
    return { ...order, id: task.id }
  }
  const reply = async (order: AcceptedOrder, place: number) => {
    const { id } = order
    journal.add({ did: 'replies', thread: id })
    const body = { content: messageText(order, place) }
    await insisted(needs, ({ client }) => client.replyToTask({ params: { id }, body }, keyed(order, place)))
  }
  const hasEnded = ({ id }: AcceptedOrder) =>
    insisted(needs, async ({ client }) => {
      const { thread } = await client.getThread({ params: { id } })
      return isFinal(thread.status) && thread.messages.length === 0
    })

  const accepted: AcceptedOrder[] = []
  while (!isOver()) {
    const order = await create(makeOrder(`${name}-${accepted.length}`, random))
    accepted.push(order)
    for (let place = 1; place < order.messages.length; place += 1) {
      await sleep(upTo(LONGEST_PAUSE_MS, random))
      await reply(order, place)
    }
    while (!isLate() && !(await hasEnded(order))) await sleep(100)
  }
  return accepted
}

/** Looks at the approvals that wait, and decides each after a time, as the verdict on its act says. */
const decideApprovals = async ({
  address,
  isOver,
  journal,
  random,
}: Omit<Needs, 'isLate'>): Promise<void> => {
  const dueAt = new Map<string, number>()
  const decided = new Set<string>()

  const decide = async ({ client }: Connection, id: string, act: string) => {
    if (!dueAt.has(id)) {
      journal.add({ did: 'sees', approval: id, act })
      dueAt.set(id, performance.now() + upTo(LONGEST_DECISION_MS, random))
    }
    const decision = verdictOn(act)
    if (decision === 'never' || performance.now() < (dueAt.get(id) ?? 0)) return
    // Noted before it is sent: it may count although its answer is lost.
    if (!decided.has(id)) journal.add({ did: 'decides', approval: id, act, decision })
    decided.add(id)
    await client.decideApproval({ params: { id }, body: { decision } })
  }
  const look = async (at: Connection) => {
    const { approvals } = await at.client.listApprovals()
    for (const { id, params } of approvals) {
      const { act } = params.input as { act: string }
      await decide(at, id, act)
    }
  }

  while (!isOver()) {
    // What fails is seen again, or was decided or withdrawn meanwhile.
    const url = address()
    if (url !== undefined) await look(connect(url)).catch(() => undefined)
    await sleep(30)
  }
}

type Given = Pick<Needs, 'address' | 'journal'> & { seed: number; settledMs: number }

/**
 * Customers place orders, and a person decides approvals, until `work` is over. Resolves once all orders have ended, or
 * after the time for it.
 */
export const ordersDuring = async <T>({ seed, settledMs, ...shared }: Given, work: () => Promise<T>) => {
  let overAt = Number.POSITIVE_INFINITY
  let isDone = false
  const isOver = () => performance.now() > overAt
  const isLate = () => performance.now() > overAt + settledMs
  const customers = Array.from({ length: CUSTOMERS }, (_, n) =>
    placeOrders(`order-${n}`, { ...shared, isOver, isLate, random: seededRandom(seed + n) }),
  )
  const accepted = Promise.all(customers)
  accepted.catch(() => undefined)
  const operator = decideApprovals({ ...shared, isOver: () => isDone, random: seededRandom(seed - 1) })
  const result = await work().finally(() => {
    overAt = performance.now()
  })
  const orders = (await accepted).flat()
  isDone = true
  await operator
  return { orders, result }
}
