import * as z from 'zod'
import { EFFORTS } from '../../../../lib/agentic/schema.ts'
import { requestParts } from '../../../../lib/api/request-parts.ts'
import { securityModes } from '../../../../lib/core/security-mode.ts'
import { thresholds as limits } from '../../../../lib/health/components.ts'
import { SCOPES } from '../../../../lib/http/route.ts'
import { WEBHOOK_EVENTS } from '../../../../lib/outbound-webhooks/schema.ts'
import { everySetting } from '../../../../lib/settings/catalog.ts'
import { TASK_DETAIL, TASK_LONG, TASK_SOURCES, TaskSchema } from '../../../../lib/tasks/schema.ts'
import { conversationTools } from '../../../../lib/tools/catalog.ts'
import { modePolicy as policyOfModes } from '../../../../lib/tools/policy.ts'

// What the page takes from the service as data. The build runs this module and bundles what it exports as JSON, so all
// of it must be JSON, and nothing that is imported here gets into the browser.

/** Of each route what its request is made of. */
export const routes = requestParts

/** From which depth on the queue, and how many dead letters, the service calls itself degraded or unhealthy. */
export const thresholds = limits

export const sources = TASK_SOURCES

/** Fields that events of a task leave out although the task has them: heavy ones, and those that may be long. */
const leftOut = new Set<string>([...TASK_DETAIL, ...TASK_LONG])
/** What a task has no more when an event of it does not have it. A long error is read again with the task. */
export const liveTaskFields = Object.keys(TaskSchema.shape).filter(
  (name) => name === 'error' || !leftOut.has(name),
)

/** What an API token may be for. */
export const scopes = SCOPES

/** Each setting by its dotted path, with the variable that goes before it and, as JSON Schema, what it may be. */
export const settings = everySetting.map(({ path, variable, schema }) => ({
  path,
  variable,
  shape: z.toJSONSchema(schema),
}))

/** What each security mode makes of each kind of tool. */
export const modePolicy = policyOfModes

/** Every tool with what it can do at worst. None is called here, so nothing that they need is handed over. */
export const tools = conversationTools({} as never).map(({ name, risk }) => ({ name, risk }))
/** How much a model is to think, and how far its tools may go. */
export const efforts = EFFORTS
export const modes = securityModes

/** The events that an outbound webhook can subscribe to. */
export const webhookEvents = WEBHOOK_EVENTS
