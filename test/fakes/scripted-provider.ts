import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openBroker } from '../../lib/adapters/agents/broker/broker.ts'
import type { Brokered } from '../../lib/adapters/agents/broker/run.ts'
import { readFailure } from '../../lib/adapters/models/failures.ts'
import { configuredProviders, type Provider } from '../../lib/adapters/models/resolve.ts'
import { withoutCodings } from '../../lib/adapters/node/content-coding.ts'
import { entropy } from '../../lib/adapters/node/entropy.ts'
import { listenInFolder } from '../../lib/adapters/node/socket-folder.ts'
import { createMasker } from '../../lib/core/masker.ts'
import { noProviderLimits } from '../../lib/ports/provider-limits.ts'
import { createFakeLog } from './log.ts'

export const PROVIDER_KEY = 'sk-operator-0123456789'

/** Answers a request whose body it has been given. */
export type Answer = (incoming: IncomingMessage, response: ServerResponse) => unknown

type Options = { isSandboxed?: boolean; price?: Brokered['price']; now?: () => number }

/** A broker before a scripted provider of Anthropic's wire over real HTTP, whose key is `PROVIDER_KEY`. */
export const openScriptedProvider = async (
  answer: Answer,
  { isSandboxed = false, price = () => null, now = Date.now }: Options = {},
) => {
  const server = createServer((incoming, response) => {
    incoming.resume().once('end', () => answer(incoming, response))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const provider = configuredProviders({
    providers: { anthropic: { apiKey: PROVIDER_KEY, baseUrl } },
  }).get('anthropic') as Provider
  const log = createFakeLog()
  const masker = createMasker([PROVIDER_KEY])
  const broker = openBroker({
    ...(isSandboxed && { listenOnSocket: listenInFolder }),
    provider: (kind) => (kind === 'anthropic' ? provider : undefined),
    readFailure: (_, failed) => readFailure(provider, failed, { now: now(), masker }),
    withoutCodings,
    limits: noProviderLimits,
    entropy,
    log,
  })
  return {
    server,
    broker,
    log,
    brokered: async (): Promise<Brokered> => ({
      broker,
      price,
      hasModel: (kind) => kind === 'anthropic',
      models: () => ({}),
    }),
    [Symbol.asyncDispose]: async () => {
      await broker.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
