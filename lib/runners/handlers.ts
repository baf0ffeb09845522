import type { Handlers } from '../http/route.ts'
import { Reply } from '../http/route.ts'
import type { createRunnerClaims } from './claims.ts'
import type { runnerRoutes } from './contract.ts'
import type { Registry } from './registry.ts'
import type { createRunnerReports } from './reports.ts'

type Needs = {
  runners: {
    registry: Registry
    claims: Pick<ReturnType<typeof createRunnerClaims>, 'poll'>
    reports: ReturnType<typeof createRunnerReports>
  }
}

const DONE = { ok: true } as const

export const runnerHandlers = ({ runners }: Needs): Handlers<typeof runnerRoutes> => ({
  registerRunner: ({ body }, { principal }) => runners.registry.register(principal, body),
  claimTask: async ({ params, body }, { principal, gone }) =>
    (await runners.claims.poll(principal, params.id, body, gone())) ??
    new Reply({ raw: '' }, { status: 204 }),
  renewClaim: ({ params: { id, taskId }, body }, { principal }) =>
    runners.reports.renew(principal, id, { taskId, ...body }),
  reportRun: async ({ params: { id, taskId }, body: { fence, ...report } }, { principal }) => {
    await runners.reports.report(principal, id, { taskId, fence }, report)
    return DONE
  },
  pauseClaim: async ({ params: { id, taskId }, body: { fence, ...waiting } }, { principal }) => {
    await runners.reports.pause(principal, id, { taskId, fence }, waiting)
    return DONE
  },
  resumeClaim: async ({ params: { id, taskId }, body }, { principal }) => {
    await runners.reports.resume(principal, id, { taskId, ...body })
    return DONE
  },
  askApproval: async ({ params: { id, taskId }, body: { fence, ...request } }, { principal }) => ({
    answer: await runners.reports.askApproval(principal, id, { taskId, fence }, request),
  }),
  approvalState: async ({ params: { id, taskId, approvalId }, body }, { principal }) => ({
    state: await runners.reports.approvalState(principal, id, { taskId, ...body }, approvalId),
  }),
  guideRun: ({ params: { id, taskId }, body }, { principal }) =>
    runners.reports.guide(principal, id, { taskId, ...body }),
  recallForRun: async ({ params: { id, taskId }, body: { fence, query } }, { principal }) => ({
    chunks: await runners.reports.recall(principal, id, { taskId, fence }, query),
  }),
  endClaim: async ({ params: { id, taskId }, body: { end, ...claim } }, { principal }) => {
    await runners.reports.end(principal, id, { taskId, ...claim }, end)
    return DONE
  },
  listRunners: () => runners.registry.list(),
  drainRunner: async ({ params, body }, { principal }) => ({
    runner: await runners.registry.drain(principal, params.id, body.draining),
  }),
  removeRunner: async ({ params }, { principal }) => {
    await runners.registry.remove(principal, params.id)
    return { message: 'Runner removed' }
  },
})
