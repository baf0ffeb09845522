import type { Principal } from '../../lib/core/principal.ts'
import { createCaller } from '../fakes/caller.ts'
import { startDomains } from '../fakes/service.ts'

export const TOKEN: Principal = { userId: 'user_ann', role: 'user', tokenId: 'tok_ann' }
export const OTHER: Principal = { userId: 'user_bob', role: 'user', tokenId: 'tok_bob' }

type Options = NonNullable<Parameters<typeof startDomains>[0]>

/** The gateway over all domains; receivers on loopback may be notified. */
export const startGateway = async ({ env, ...options }: Options = {}) => {
  const service = await startDomains({ ...options, env: { OUTBOUND_ALLOW_HOSTS: '127.0.0.1', ...env } })
  const call = createCaller(service)
  const status = async (requestId: string, as = TOKEN) =>
    (await call(`GET /api/gateway/${requestId}/status`, { as })).body
  return Object.assign(service, {
    call,
    status,
    submit: (body: object, { as = TOKEN, ...headers }: { as?: Principal; [name: string]: unknown } = {}) =>
      call('POST /api/gateway', { body, as, headers: headers as Record<string, string> }),
  })
}

export type StartedGateway = Awaited<ReturnType<typeof startGateway>>
