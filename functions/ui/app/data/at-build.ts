import * as z from 'zod'
import { EFFORTS } from '../../../../lib/agentic/schema.ts'
import { requestParts } from '../../../../lib/api/request-parts.ts'
import { routes as everyRoute } from '../../../../lib/api/routes.ts'
import { LONGEST_ATTEMPT_MS, MOST_STEPS, SHORTEST_ATTEMPT_MS } from '../../../../lib/core/attempt-limit.ts'
import { thresholds as limits } from '../../../../lib/health/components.ts'
import { type Access, isForSessions, isScope, SCOPES } from '../../../../lib/http/route.ts'
import { MOST_MARKED } from '../../../../lib/inbox/contract.ts'
import { WEBHOOK_EVENTS } from '../../../../lib/outbound-webhooks/schema.ts'
import { everySetting } from '../../../../lib/settings/schema.ts'
import { TASK_DETAIL, TASK_LONG, TASK_SOURCES, TaskSchema } from '../../../../lib/tasks/schema.ts'
import { conversationTools } from '../../../../lib/tools/catalog.ts'
import { modePolicy as policyOfModes } from '../../../../lib/tools/policy.ts'

// Data that the page takes from the service. The build evaluates this module and bundles its exports as JSON: they must be JSON, and none
// of these imports reaches the browser.

const isOfPage = ([, { access }]: [string, { access: Access }]) => !isScope(access) || isForSessions(access)
const ofPage = new Set(
  Object.entries(everyRoute)
    .filter(isOfPage)
    .map(([name]) => name),
)

/** Those of programs with a token are left out: the page calls none of them. */
export const routes = Object.fromEntries(
  Object.entries(requestParts).filter(([name]) => ofPage.has(name)),
) as typeof requestParts

/** Queue depths and dead letter counts from which the service is degraded or unhealthy. */
export const thresholds = limits

export const sources = TASK_SOURCES

/** What the limits of a task may be. */
export const taskLimits = {
  timeoutMs: [SHORTEST_ATTEMPT_MS, LONGEST_ATTEMPT_MS],
  maxSteps: [1, MOST_STEPS],
} as const

/** The most inbox items of one request that marks some. */
export const mostMarked = MOST_MARKED

/** Fields that task events leave out because they are large. */
const leftOut = new Set<string>([...TASK_DETAIL, ...TASK_LONG])
/** If an event lacks one of these fields, the task lost it. A long error is loaded again with the task. */
export const liveTaskFields = Object.keys(TaskSchema.shape).filter(
  (name) => name === 'error' || !leftOut.has(name),
)

export const scopes = SCOPES

/** Settings by dotted path, with the environment variable that overrides them, and their JSON Schema. */
export const settings = everySetting.map(({ path, variable, schema }) => ({
  path,
  variable,
  shape: z.toJSONSchema(schema),
}))

export const modePolicy = policyOfModes

/** Tools are not called here, so they get no dependencies. */
export const tools = conversationTools({} as never).map(({ name, risk }) => ({ name, risk }))
export const efforts = EFFORTS

export const webhookEvents = WEBHOOK_EVENTS
