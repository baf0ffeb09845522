import type { Sender } from '../../lib/webhooks/schema.ts'
import { createCaller } from '../fakes/caller.ts'
import { startDomains } from '../fakes/service.ts'
import { secretEnv, signedHeaders } from './signed.ts'

type Options = NonNullable<Parameters<typeof startDomains>[0]>
type Sent = { event?: string; delivery?: string; headers?: Record<string, string>; secret?: string }

/** The webhooks over all domains, each with a secret; nothing moves by itself unless `background` says so. */
export const startInbound = async ({ env, ...options }: Options = {}) => {
  const service = await startDomains({ background: false, ...options, env: { ...secretEnv, ...env } })
  const call = createCaller(service)
  /** Delivers a payload, or a body as it stands, signed. */
  const deliver = (sender: Sender, payload: unknown, { event, delivery, headers, secret }: Sent = {}) => {
    const body = typeof payload === 'string' ? payload : JSON.stringify(payload)
    const signed = signedHeaders({
      sender,
      body,
      ...(event === undefined ? {} : { event }),
      ...(delivery === undefined ? {} : { delivery }),
      ...(secret === undefined ? {} : { secret }),
    })
    return call(`POST /api/webhooks/${sender}`, { body, headers: { ...signed, ...headers } })
  }
  const total = async () => (await service.tasks.analytics()).totalTasks
  return Object.assign(service, { call, deliver, total })
}

export type StartedInbound = Awaited<ReturnType<typeof startInbound>>
