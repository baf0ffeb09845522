import { type Answering, startReceiver } from '../adapters/outbound-receiver.ts'
import { createCaller } from '../fakes/caller.ts'
import { startDomains, turns } from '../fakes/service.ts'

type Started = Parameters<typeof startDomains>[0]

/** A service, a receiver, and a webhook with `events`, all of them unless `given` says which. */
export const started = async (given: object = {}, answer?: Answering, options: Started = {}) => {
  const receiver = await startReceiver(answer)
  const env = { OUTBOUND_ALLOW_HOSTS: '127.0.0.1', QUEUE_RETRY_BACKOFF_MS: '0' }
  const service = await startDomains({ ...options, env: { ...env, ...options.env } })
  const call = createCaller(service)
  const { body } = await call('POST /api/webhooks', { body: { url: receiver.url, events: ['*'], ...given } })
  const id: string = body.webhook?.id
  const sends = async () => {
    await turns(30)
    await service.deliveries.sendDue()
    await service.deliveries.settled()
  }
  const heard = () => receiver.heard.map(({ body }) => JSON.parse(body))
  const read = async () => (await call(`GET /api/webhooks/${id}`)).body.webhook
  const deliveries = async () => (await call(`GET /api/webhooks/${id}/deliveries`)).body
  return {
    service,
    call,
    receiver,
    created: body,
    id,
    sends,
    heard,
    read,
    deliveries,
    [Symbol.asyncDispose]: async () => {
      await service[Symbol.asyncDispose]()
      await receiver[Symbol.asyncDispose]()
    },
  }
}
