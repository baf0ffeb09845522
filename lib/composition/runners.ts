import { definedFields } from '../core/defined-fields.ts'
import type { Memory } from '../memory/service.ts'
import { createRunnerClaims } from '../runners/claims.ts'
import { createMemoryPolls, createStoredPolls } from '../runners/polls.ts'
import { createRunnerReports } from '../runners/reports.ts'
import type { Claim } from '../runners/schema.ts'
import type { RecordedCall } from '../security/tool-calls.ts'
import { tasks as taskRows } from '../tasks/rows.ts'
import { type Ended, type Failure, failedRun } from '../worker/run.ts'
import type { AgentVerbs, Ports } from './ports.ts'
import type { Security } from './security.ts'
import type { Work } from './work.ts'

type Needs = Pick<
  Ports,
  | 'processes'
  | 'store'
  | 'clock'
  | 'ids'
  | 'log'
  | 'masker'
  | 'runnerQueue'
  | 'longestWaitMs'
  | 'mostBodyBytes'
> &
  Pick<Security, 'policy' | 'approvals' | 'toolCalls'> &
  Pick<Work, 'runnerRegistry' | 'tasks' | 'attempts' | 'agentSessions'> &
  Pick<AgentVerbs, 'codeHost' | 'isLocalAdmin'> & {
    memory: Pick<Memory, 'guide' | 'recall'>
    securityMode: () => Claim['securityMode']
    leaseMs: number
  }

/** The runners, which run tasks elsewhere: what they claim and what they write goes through the lease of tasks. */
export const createRunners = (needs: Needs) => {
  const { store, runnerRegistry: registry, tasks, attempts, agentSessions, toolCalls, runnerQueue } = needs
  const { lease, place } = tasks
  const claims = createRunnerClaims({
    ...needs,
    registry,
    polls: needs.processes === 'many' ? createStoredPolls(store, registry) : createMemoryPolls(registry),
    queue: runnerQueue,
    longestPollMs: needs.longestWaitMs,
    claim: attempts.claim,
    readTask: (...at) => store.get(taskRows, ...at),
    release: lease.release,
    note: (task, message) => lease.addProgress(task, { id: needs.ids.next('evt'), message }),
    fail: (task, error) => attempts.finish(task, failedRun(task, { error, retryable: false })),
    place,
  })
  const reports = createRunnerReports({
    ...needs,
    claims,
    lease,
    // What follows a failure is decided here: a runner says only what happened.
    finish: (task, { kind, ...end }) =>
      attempts.finish(
        task,
        kind === 'failed' ? failedRun(task, definedFields(end) as Failure) : ({ kind, ...end } as Ended),
      ),
    addEvents: agentSessions.addEvents,
    addProgress: async (task, progress) => {
      for (const message of progress) await lease.addProgress(task, message)
    },
    recordCall: (id, { risk: _risk, ...call }) =>
      toolCalls.recordOnce(id, definedFields(call) as RecordedCall),
  })
  return { registry, claims, reports }
}
