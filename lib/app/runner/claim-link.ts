import type { Cost } from '../../core/cost.ts'
import { errorMessage } from '../../core/errors.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Log } from '../../ports/log.ts'
import type { Claim, Report, RunEnd } from '../../runners/schema.ts'
import { SESSION_TOO_LARGE } from '../../tasks/schema.ts'
import {
  isFinal,
  isLeaseLost,
  isOfService,
  isRefusedToken,
  type Persist,
  type RunnerClient,
} from './connection.ts'
import { fittingEnd, withoutState } from './outcome-size.ts'
import type { Outcomes } from './outcomes.ts'

type Entries = Omit<Report, 'fence'>
type Kind = 'events' | 'progress' | 'toolCalls'
type Batch = { entries: Entries; bytes: number }

/** A request has at most this many bytes, and entries of a kind. */
const MOST_BYTES = 200_000
const MOST_ENTRIES = 400
/** What is kept while the service cannot be reached. Beyond it, events and progress are dropped, and it is said. */
const MOST_UNSENT = 16_000_000
/** A request is made again within this part of the lease: a network that is back in time costs no claim. */
const RETRIES_IN_A_LEASE = 6

type Needs = {
  client: RunnerClient
  runnerId: string
  persist: Persist
  outcomes: Outcomes
  ids: Pick<Ids, 'next'>
  log: Log
  /** The most bytes of an outcome, as the service has said. */
  mostBodyBytes?: number | undefined
  /** Called once when the service says that the claim is over. */
  onLost: () => void
}

export type ClaimLink = ReturnType<typeof createClaimLink>

/**
 * What a run says to the service, in its order: events, progress and records of calls in batches, then its end. The end is
 * on the disk, with what was not acknowledged before it, until the service has answered.
 */
export const createClaimLink = (claim: Claim, target: Report['target'], needs: Needs) => {
  const { client, runnerId: id, persist, outcomes, log, onLost } = needs
  const taskId = claim.task.id
  const { fence } = claim
  const params = { id, taskId }
  const longestWaitMs = claim.leaseMs / RETRIES_IN_A_LEASE
  const over = Promise.withResolvers<void>()
  let unsent: Batch[] = []
  let unsentBytes = 0
  let dropped = 0
  let sending: Promise<void> | undefined
  let isLost = false
  let isRefused = false

  const lose = () => {
    if (isLost) return
    isLost = true
    unsent = []
    onLost()
  }

  /** Makes a request of this claim until it is answered. Resolves to undefined once the claim is over. */
  const ask = async <T>(what: string, request: () => Promise<T>): Promise<T | undefined> => {
    if (isLost) return undefined
    try {
      return await persist(what, request, { longestWaitMs })
    } catch (thrown) {
      if (!isLeaseLost(thrown)) throw thrown
      lose()
      return undefined
    }
  }

  const sendBatch = ({ entries }: Batch) =>
    sendEntries(entries, taskId, log, (some) =>
      ask('the events of a run', () => client.reportRun({ params, body: { fence, ...some } })),
    )

  const sendAll = async () => {
    for (let batch = unsent[0]; batch !== undefined && !isRefused; batch = unsent[0]) {
      try {
        await sendBatch(batch)
      } catch {
        // What is not sent stays, for the outcome on the disk.
        isRefused = true
        return
      }
      if (unsent[0] === batch) unsent.shift()
      unsentBytes -= batch.bytes
    }
  }

  const send = (): Promise<void> => {
    sending ??= new Promise<void>((resolve) => setImmediate(resolve)).then(sendAll).finally(() => {
      sending = undefined
      if (unsent.length > 0 && !isRefused) void send()
    })
    return sending
  }

  const add = (kind: Kind, entry: object): void => {
    const bytes = Buffer.byteLength(JSON.stringify(entry))
    if (isLost) return
    if (unsentBytes + bytes > MOST_UNSENT && kind !== 'toolCalls') {
      dropped += 1
      return
    }
    unsentBytes += bytes
    // The first batch may be on its way: what is repeated must stay the same.
    const last = unsent.length > 1 ? unsent.at(-1) : undefined
    const open =
      last !== undefined && last.bytes + bytes <= MOST_BYTES && last.entries[kind].length < MOST_ENTRIES
        ? last
        : undefined
    const batch = open ?? { entries: { target, events: [], progress: [], toolCalls: [] }, bytes: 0 }
    if (open === undefined) unsent.push(batch)
    batch.entries[kind].push(entry as never)
    batch.bytes += bytes
    void send()
  }

  return {
    claim,
    get isLost() {
      return isLost
    },
    lose,
    ask,
    addEvents: (events: Entries['events']) => {
      for (const event of events) add('events', event)
    },
    addProgress: (entry: Entries['progress'][number]) => add('progress', entry),
    addToolCall: (entry: Entries['toolCalls'][number]) => add('toolCalls', entry),
    /** Sends the end of the run after all that was added. Resolves when the service has answered. */
    end: async (given: RunEnd, cost?: Cost, attemptCost?: Cost): Promise<void> => {
      if (isLost && given.kind !== 'stopped') return
      const { end, isSessionCut } = fittingEnd(given, { fence, cost, attemptCost }, needs.mostBodyBytes)
      if (isSessionCut) add('progress', sessionTooLarge(needs))
      if (dropped > 0) log.warn({ taskId, dropped }, 'events of a run were dropped: the service was away')
      const outcome = { taskId, fence, reports: unsent.map(({ entries }) => entries), end, cost, attemptCost }
      try {
        await outcomes.store(outcome)
      } catch (thrown) {
        // The disk may be full; the service may take it nevertheless.
        log.error(
          { taskId, reason: errorMessage(thrown) },
          'the outcome of a run was not stored on this disk',
        )
      }
      while (sending !== undefined) await sending
      await sendEnd(needs, outcome)
    },
    /** Resolves once the run has ended, and its end was sent or is left for later. */
    over: over.promise,
    close: () => over.resolve(),
  }
}

const sessionTooLarge = ({ ids }: Pick<Needs, 'ids'>): Entries['progress'][number] => ({
  id: ids.next('evt'),
  message: SESSION_TOO_LARGE.kept,
})

/**
 * Sends entries; of those that the service refuses as they are, the rest is sent nevertheless. Throws where the token of the
 * runner is refused.
 */
const sendEntries = async (
  entries: Entries,
  taskId: string,
  log: Log,
  send: (entries: Entries) => Promise<unknown>,
): Promise<void> => {
  try {
    await send(entries)
  } catch (thrown) {
    if (isRefusedToken(thrown) || isLeaseLost(thrown)) throw thrown
    const parts = halves(entries)
    if (parts.length === 0)
      log.error({ taskId, reason: errorMessage(thrown) }, 'the service refused an event of a run')
    for (const part of parts) await sendEntries(part, taskId, log, send)
  }
}

const KINDS = ['toolCalls', 'progress', 'events'] as const satisfies readonly Kind[]

/** Entries in two parts, in the order of the service; none of a single entry. */
const halves = (entries: Entries): Entries[] => {
  const all = KINDS.flatMap((kind) => entries[kind].map((entry) => ({ kind, entry })))
  if (all.length <= 1) return []
  const middle = Math.ceil(all.length / 2)
  return [all.slice(0, middle), all.slice(middle)].map((part) => {
    const half: Entries = { target: entries.target, events: [], progress: [], toolCalls: [] }
    for (const { kind, entry } of part) half[kind].push(entry as never)
    return half
  })
}

/** Sends an outcome that an earlier process of the runner has left. */
export const sendLeft = async (
  needs: Omit<Needs, 'onLost'>,
  outcome: ReturnType<Outcomes['left']>[number],
): Promise<void> => {
  const { client, runnerId: id, persist, log } = needs
  const { taskId, fence } = outcome
  try {
    for (const entries of outcome.reports)
      await sendEntries(entries, taskId, log, (some) =>
        persist('the events of an earlier run', () =>
          client.reportRun({ params: { id, taskId }, body: { fence, ...some } }),
        ),
      )
  } catch (thrown) {
    if (!isLeaseLost(thrown)) throw thrown
  }
  await sendEnd(needs, outcome)
}

/** The error of a run whose end the service does not accept: its result is too large, or of another version. */
const refusedEnd = (thrown: Error): RunEnd => ({
  kind: 'failed',
  error: {
    code: 'bad_result',
    message: `The service rejected the result: ${errorMessage(thrown, 500)}`,
  },
  retryable: false,
})

const sendEnd = async (
  { client, runnerId: id, persist, outcomes, ids, log }: Omit<Needs, 'onLost'>,
  { taskId, fence, end, cost, attemptCost }: Parameters<Outcomes['store']>[0],
): Promise<void> => {
  const params = { id, taskId }
  const send = (sent: RunEnd) =>
    persist('the end of a run', () =>
      client.endClaim({ params, body: { fence, cost, attemptCost, end: sent } }),
    )
  const sendRefused = (thrown: unknown) => {
    const isRefused = isFinal(thrown) && (thrown.status === 400 || thrown.status === 413)
    if (!isRefused || isLeaseLost(thrown)) throw thrown
    log.error({ taskId, reason: errorMessage(thrown) }, 'the service refused the end of a run')
    return send(refusedEnd(thrown))
  }
  /** Something between this runner and the service may take less than that says. */
  const sendLighter = async (thrown: unknown) => {
    const lighter = isFinal(thrown) && thrown.status === 413 ? withoutState(end) : undefined
    if (lighter === undefined) return sendRefused(thrown)
    const body = { fence, progress: [sessionTooLarge({ ids })] }
    if (end.kind !== 'waiting') await persist('the events of a run', () => client.reportRun({ params, body }))
    return send(lighter).catch(sendRefused)
  }
  try {
    await send(end).catch(sendLighter)
  } catch (thrown) {
    // Kept for the next start: the token may be valid then, and the answer that of the service.
    if (!isFinal(thrown) || isRefusedToken(thrown) || !isOfService(thrown)) throw thrown
    log.warn({ taskId, reason: errorMessage(thrown) }, 'the outcome of a run came too late')
  }
  await outcomes.remove({ taskId, fence })
}
