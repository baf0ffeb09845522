import { Problem } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Outbound } from '../../ports/outbound.ts'
import {
  createLookup,
  createResolve,
  type Lookup,
  type Resolve,
  readAllowed,
  refused,
} from './outbound-address.ts'

export type OutboundNeeds = {
  clock: Clock
  /** Hosts, addresses and networks that may be reached although they are private. */
  allow: readonly string[]
  lookup?: Lookup
}

/** How long a name may take to be looked up before it is taken for one that cannot be. */
const LOOKUP_MS = 3_000

/**
 * What looks at addresses and sends nothing: it does without the client of those that do. Throws Problem `bad_setting`
 * when it cannot make sense of `allow`.
 */
export const createOutboundCheck = ({ clock, allow, ...needs }: OutboundNeeds) => {
  const allowed = readAllowed(allow)
  const { lookup = createLookup({ allowed }) } = needs
  const resolve: Resolve = createResolve({ allowed, lookup })

  /** All addresses of a URL's host. Rejects with `url_refused` for one that may not be reached, else as its lookup does. */
  const addressesOf = async ({ hostname }: URL): Promise<readonly string[]> => {
    const until = deadline(clock, LOOKUP_MS)
    try {
      const addresses = await Promise.race([resolve(bare(hostname)), until.over])
      if (addresses.length > 0) return addresses
      throw new Problem('unavailable', 'outbound_failed', 'The host has no address')
    } finally {
      until.cancel()
    }
  }

  const check: Outbound['check'] = async (url) => {
    try {
      await addressesOf(targetOf(url))
    } catch (thrown) {
      if (thrown instanceof Problem && thrown.kind === 'invalid') throw thrown
    }
  }
  return { check, resolve, allowed, addressesOf }
}

/** Throws Problem `url_refused` for what is no address to send to. */
export const targetOf = (url: string): URL => {
  if (!URL.canParse(url)) throw refused('is not a URL')
  const target = new URL(url)
  if (target.protocol !== 'http:' && target.protocol !== 'https:')
    throw refused('must be an http or https URL')
  if (target.username !== '' || target.password !== '')
    throw refused('must not carry credentials: they would be stored and shown')
  return target
}

/** Without the brackets of an IPv6 address. */
const bare = (hostname: string) => hostname.replace(/^\[(.*)\]$/, '$1')

/** `over` rejects with Problem `outbound_timeout` after so long. */
export const deadline = (clock: Clock, ms: number) => {
  const { promise, reject } = Promise.withResolvers<never>()
  const cancel = clock.after(ms, () =>
    reject(new Problem('unavailable', 'outbound_timeout', `There was no whole answer within ${ms} ms`)),
  )
  return { over: promise, cancel }
}
