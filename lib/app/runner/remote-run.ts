import { toSessionId } from '../../agentic/rows.ts'
import { createSessionRun } from '../../agentic/session-run.ts'
import { createTaskRuns } from '../../agentic/task-runs.ts'
import type { Masker } from '../../core/masker.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Log } from '../../ports/log.ts'
import type { Claim, RunEnd } from '../../runners/schema.ts'
import { defaultPolicy, type PolicySource } from '../../security/schema.ts'
import type { ToolCallRecord } from '../../tools/audit.ts'
import type { Approvals } from '../../tools/authorize.ts'
import type { Leased, LeaseWrites } from '../../worker/active.ts'
import type { Ended } from '../../worker/run.ts'
import type { ClaimLink } from './claim-link.ts'
import type { RunnerClient } from './connection.ts'

/** A renewal without an answer for this part of the lease is made again. */
const RENEWALS_IN_A_LEASE = 3
/** Events of a session are sent at least this often while there are any. */
const FLUSH_MS = 200
/** A policy that was read this long ago is read again before a call is decided. */
const POLICY_MS = 2_000

type Links = Map<string, ClaimLink>
type Needs = {
  client: RunnerClient
  /** Takes the time of the service, from its answer to a request that was made at `askedAt` of the monotonic clock. */
  hear: (now: number, askedAt: number) => void
  runnerId: () => string
  /** The claims of this runner by the id of their task. */
  links: Links
  clock: Clock
  ids: Ids
  log: Log
  masker: Masker
}

/** The row of a claimed task, as the worker knows it. */
export const toLeased = ({ task, fence, costBefore, attemptCost, refusals, checkpoint }: Claim): Leased =>
  ({
    ...task,
    fence,
    ...(costBefore !== undefined && { costBefore }),
    ...(attemptCost !== undefined && { attemptCost }),
    ...(refusals !== undefined && { refusals }),
    ...(checkpoint !== undefined && { checkpoint }),
  }) as Leased

const toRunEnd = (ended: Ended): RunEnd => {
  if (ended.kind !== 'failed') return ended as RunEnd
  const { next: _next, ...failure } = ended
  return failure as RunEnd
}

/** The lease, session events, approvals, audit and memory of the worker, over the API of a service. */
export const createRemoteRun = ({ client, hear, runnerId, links, clock, ids, log, masker }: Needs) => {
  let policy = defaultPolicy
  let policyAt = Number.NEGATIVE_INFINITY
  const learn = (next: typeof policy) => {
    policy = next
    policyAt = clock.monotonic()
  }

  /** The claim of a run: its task may have been claimed again meanwhile. */
  const linkFor = ({ id, fence }: Leased): ClaimLink => {
    const link = linkOf(id)
    if (link.claim.fence !== fence) throw new Error('The task was claimed again')
    return link
  }
  const linkOf = (taskId: string | undefined): ClaimLink => {
    const link = links.get(taskId ?? '')
    if (link === undefined) throw new Error('The task is not claimed by this runner any more')
    return link
  }
  /** Asks by any claim that this runner has. */
  const askAny = async <T>(what: string, request: (link: ClaimLink) => Promise<T>): Promise<T> => {
    for (const link of links.values()) {
      const answer = link.isLost ? undefined : await link.ask(what, () => request(link))
      if (answer !== undefined) return answer
    }
    throw new Error('This runner has no claim any more')
  }
  const paramsOf = (link: ClaimLink) => ({ id: runnerId(), taskId: link.claim.task.id })

  const renewLink = async (link: ClaimLink, spent: Partial<Pick<Leased, 'cost' | 'attemptCost'>> = {}) => {
    const { cost, attemptCost } = spent
    const body = { fence: link.claim.fence, cost, attemptCost }
    const answer = await link.ask('the renewal of a claim', async () => {
      const askedAt = clock.monotonic()
      const signal = AbortSignal.timeout(link.claim.leaseMs / RENEWALS_IN_A_LEASE)
      const renewed = await client.renewClaim({ params: paramsOf(link), body }, { signal })
      if (renewed.now !== undefined) hear(Date.parse(renewed.now), askedAt)
      return renewed
    })
    if (answer !== undefined) learn(answer.policy)
    return answer !== undefined
  }

  const lease: Pick<LeaseWrites, 'renew' | 'isLeased' | 'pause' | 'unpause'> = {
    renew: async (leased, message) => {
      const link = linkFor(leased)
      if (message === undefined) return renewLink(link, leased)
      link.addProgress({ id: ids.next('evt'), message })
      return !link.isLost
    },
    // The answer of a poll names the claims that are over.
    isLeased: async ({ id }) => links.get(id)?.isLost === false,
    pause: async (leased, { message, approvals }) => {
      const link = linkFor(leased)
      const body = { fence: leased.fence, message, approvals: approvals as never }
      const done = await link.ask('the wait of a run', () =>
        client.pauseClaim({ params: paramsOf(link), body }),
      )
      return done && leased
    },
    unpause: async (leased) => {
      const link = linkFor(leased)
      const done = await link.ask('the end of a wait', () =>
        client.resumeClaim({ params: paramsOf(link), body: { fence: leased.fence } }),
      )
      return done && leased
    },
  }

  /** A claim that is over refuses what is asked for it; its run is being stopped. */
  const answered = <T>(answer: T | undefined): T => {
    if (answer === undefined) throw new Error('The task is not leased to this runner any more')
    return answer
  }

  const requestApproval = async (uses: boolean, request: Parameters<Approvals['ask']>[0]) => {
    const { tool, risk, arguments: given, title, mode, ttlMs, awaited, taskId } = request
    const link = linkOf(taskId)
    const body = {
      fence: link.claim.fence,
      // A repeat of the request has the same id, and the same answer.
      requestId: ids.next('req'),
      uses,
      tool,
      risk,
      arguments: given,
      title,
      mode,
      ttlMs,
      awaited,
    }
    const { answer } = answered(
      await link.ask('the approval of a call', () => client.askApproval({ params: paramsOf(link), body })),
    )
    return answer as Awaited<ReturnType<Approvals['ask']>>
  }

  const approvals: Approvals = {
    ask: (request) => requestApproval(false, request),
    use: (request) => requestApproval(true, request),
    waitState: async (approvalId) => {
      const { state } = await askAny('the state of an approval', (link) =>
        client.approvalState({
          params: { ...paramsOf(link), approvalId },
          body: { fence: link.claim.fence },
        }),
      )
      return state
    },
  }

  const policySource: PolicySource = {
    known: () => policy,
    current: async () => {
      if (clock.monotonic() - policyAt <= POLICY_MS) return policy
      const { policy: present } = await askAny('the policy', (link) =>
        client.renewClaim({ params: paramsOf(link), body: { fence: link.claim.fence } }),
      )
      learn(present)
      return policy
    },
  }

  const openRun = (task: { id: string }, fence: number) => {
    const link = linkOf(task.id)
    const feed = {
      append: async (_stream: string, drafts: readonly { type: string; id?: string; data?: object }[]) => {
        link.addEvents(
          drafts.map(({ id = '', type, data }) => ({
            id,
            type,
            ...(data as { timestamp: number; data: object }),
          })) as never,
        )
        return []
      },
    }
    const run = createSessionRun({ feed, clock, log, masker }, toSessionId(task.id), fence)
    let cancel: (() => void) | undefined
    const flushSoon = () => {
      cancel ??= clock.after(FLUSH_MS, () => {
        cancel = undefined
        void run.flush()
      })
    }
    return {
      id: toSessionId(task.id),
      emit: (type: string, data: object) => {
        run.emit(type, data)
        flushSoon()
      },
      flush: run.flush,
      close: async () => {
        cancel?.()
        await run.close()
      },
    }
  }

  return {
    learn,
    lease,
    approvals,
    policy: policySource,
    openEvents: (target: Parameters<typeof createTaskRuns>[0]['target']) =>
      createTaskRuns({ sessions: { openRun }, target, clock, ids }),
    onToolCall: ({ userId: _user, taskId, conversationId: _none, ...call }: ToolCallRecord) =>
      links.get(taskId ?? '')?.addToolCall({ id: ids.next('tca'), ...call } as never),
    guide: async ({ id: taskId }: { id: string }) => {
      const link = linkOf(taskId)
      return answered(
        await link.ask('guidance', () =>
          client.guideRun({ params: paramsOf(link), body: { fence: link.claim.fence } }),
        ),
      )
    },
    recall: async (query: string) => {
      const { chunks } = await askAny('a search of memory', (link) =>
        client.recallForRun({ params: paramsOf(link), body: { fence: link.claim.fence, query } }),
      )
      return chunks
    },
    finish: async (leased: Leased, ended: Ended): Promise<void> => {
      const link = links.get(leased.id)
      if (link?.claim.fence !== leased.fence) return
      try {
        await link.end(toRunEnd(ended), leased.cost, leased.attemptCost)
      } finally {
        links.delete(leased.id)
        link.close()
      }
    },
  }
}
