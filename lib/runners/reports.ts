import type { ApprovalAnswer, ApprovalRequest, WaitState } from '../approvals/schema.ts'
import { definedFields } from '../core/defined-fields.ts'
import { Problem } from '../core/errors.ts'
import type { Masker } from '../core/masker.ts'
import type { Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import type { FoundChunk } from '../memory/schema.ts'
import type { Guidance } from '../ports/agent.ts'
import type { Clock } from '../ports/clock.ts'
import type { PolicySource } from '../security/schema.ts'
import { publicTask, type TaskRow } from '../tasks/schema.ts'
import type { createRunnerClaims } from './claims.ts'
import type { Pause, Report, RunEnd, RunGuidance, RunnerApproval } from './schema.ts'

type ClaimKey = { taskId: string; fence: number }
type Spent = { cost?: TaskRow['cost'] | undefined; attemptCost?: TaskRow['attemptCost'] | undefined }
type ReportedCall = Omit<Report['toolCalls'][number], 'id'> & { userId: string; taskId: string }

type Needs = {
  claims: Pick<ReturnType<typeof createRunnerClaims>, 'leased' | 'leasedOrCancelled'>
  lease: {
    renew(leased: TaskRow): Promise<boolean>
    pause(leased: TaskRow, waiting: Omit<Pause, 'fence'>): Promise<unknown>
    unpause(leased: TaskRow): Promise<unknown>
  }
  /** Writes how a run ended, with what follows from it: a retry, the end of the task, its dead letter. */
  finish: (task: TaskRow, end: RunEnd) => Promise<void>
  /** Adds events to the session of a task. */
  addEvents: (task: TaskRow, target: Report['target'], events: Report['events']) => Promise<void>
  /** Adds the progress of a task. A message whose id is stored adds nothing. */
  addProgress: (task: TaskRow, progress: Report['progress']) => Promise<void>
  recordCall: (id: string, call: ReportedCall) => Promise<void>
  approvals: {
    ask(request: ApprovalRequest): Promise<ApprovalAnswer>
    use(request: ApprovalRequest): Promise<ApprovalAnswer>
    waitState(approvalId: string): Promise<WaitState>
  }
  memory: {
    guide(task: { title: string; prompt?: string | undefined }): Promise<Guidance>
    recall(query: string): Promise<FoundChunk[]>
  }
  policy: PolicySource
  masker: Masker
  clock: Clock
  leaseMs: number
}

/** What runners write about their claims, and read for them. Each verb throws Problem `invalid` `lease_lost`. */
export const createRunnerReports = (needs: Needs) => {
  const { claims, lease, finish, approvals, memory, policy, masker, leaseMs, clock } = needs

  const held = (applied: unknown): void => {
    if (!applied) throw new Problem('invalid', 'lease_lost', 'The lease of the task has just ended')
  }

  return {
    renew: async (principal: Principal, id: string, { cost, attemptCost, ...key }: ClaimKey & Spent) => {
      const row = await claims.leased(principal, id, key)
      held(await lease.renew({ ...row, ...definedFields({ cost, attemptCost }) }))
      return { leaseMs, policy: await policy.current(), now: iso(clock.now()) }
    },
    /** Adds events, progress and records of calls; what is stored already adds nothing. */
    report: async (principal: Principal, id: string, key: ClaimKey, report: Omit<Report, 'fence'>) => {
      const row = await claims.leasedOrCancelled(principal, id, key)
      const run = String(key.fence).padStart(4, '0')
      const isOther = report.events.some((event) => event.id.split('-')[0] !== run)
      if (isOther)
        throw new Problem('invalid', 'wrong_event_id', 'The id of each event begins with the fence')
      const { userId, taskId } = { userId: row.createdBy, taskId: row.id }
      for (const { id: callId, ...call } of report.toolCalls)
        await needs.recordCall(callId, masker.data({ ...call, userId, taskId }) as ReportedCall)
      await needs.addProgress(row, masker.data(report.progress) as Report['progress'])
      await needs.addEvents(row, report.target, masker.data(report.events) as Report['events'])
    },
    /** A repeat of the last `pause` or `resume` adds no event. */
    pause: async (principal: Principal, id: string, key: ClaimKey, waiting: Omit<Pause, 'fence'>) => {
      const row = await claims.leased(principal, id, key)
      if (!waitsFor(row, waiting)) held(await lease.pause(row, waiting))
    },
    resume: async (principal: Principal, id: string, key: ClaimKey) => {
      const row = await claims.leased(principal, id, key)
      if (row.waitingFor !== undefined) held(await lease.unpause(row))
    },
    /** Asks for the approval of a call in the name of the task and of its creator. */
    askApproval: async (
      principal: Principal,
      id: string,
      key: ClaimKey,
      { uses, ttlMs, awaited, requestId, ...request }: Omit<RunnerApproval, 'fence'>,
    ): Promise<ApprovalAnswer> => {
      const { createdBy: userId, id: taskId } = await claims.leased(principal, id, key)
      const call = { ...request, ...definedFields({ ttlMs, awaited, requestId }), userId, taskId }
      return uses ? approvals.use(call) : approvals.ask(call)
    },
    approvalState: async (principal: Principal, id: string, key: ClaimKey, approvalId: string) => {
      await claims.leased(principal, id, key)
      return approvals.waitState(approvalId)
    },
    guide: async (principal: Principal, id: string, key: ClaimKey) => {
      const task = publicTask(await claims.leased(principal, id, key, true))
      const { chunks, experiences } = await memory.guide(task)
      return { chunks: [...chunks], experiences: [...experiences] } as RunGuidance
    },
    recall: async (principal: Principal, id: string, key: ClaimKey, query: string) => {
      await claims.leased(principal, id, key)
      return memory.recall(query)
    },
    end: async (
      principal: Principal,
      id: string,
      { cost, attemptCost, ...key }: ClaimKey & Spent,
      end: RunEnd,
    ): Promise<void> => {
      const row = await claims.leasedOrCancelled(principal, id, key)
      const task = { ...row, ...definedFields({ cost, attemptCost }) }
      if (row.status === 'cancelled' && end.kind !== 'stopped')
        throw new Problem('invalid', 'lease_lost', 'The task was cancelled')
      await finish(task, masker.data(end) as RunEnd)
    },
  }
}

const waitsFor = ({ waitingFor, approvalIds = [] }: TaskRow, { approvals }: Omit<Pause, 'fence'>): boolean =>
  waitingFor === 'approval' &&
  approvals.length === approvalIds.length &&
  approvals.every(({ approvalId }, n) => approvalId === approvalIds[n])
