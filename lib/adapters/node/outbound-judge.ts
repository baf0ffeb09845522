import { lookup as lookUp, Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { Problem } from '../../core/errors.ts'
import { type Allowed, isPublic, plain } from './outbound-address.ts'

/** Every address of a name, as the system knows it. */
export type Lookup = (host: string) => Promise<readonly string[]>

/** Where a host leads: all of its addresses, each of which a connection may have. */
export type Judge = (host: string) => Promise<readonly string[]>

export const systemLookup: Lookup = async (host) =>
  (await lookUp(host, { all: true })).map(({ address }) => address)

/**
 * Asks the name servers directly. The system's lookup takes one of few threads that the whole process shares: names that
 * programs choose could hold them all.
 */
export const askNameServers = (): Lookup => {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  return async (host) => {
    const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    const addresses = [four, six].flatMap((found) => (found.status === 'fulfilled' ? found.value : []))
    if (addresses.length === 0 && four.status === 'rejected') throw four.reason
    return addresses
  }
}

/** A request to a place that it may not reach. The message does not say what a name stands for. */
export const refused = (why: string) => new Problem('invalid', 'url_refused', why)

export const notPublic = () =>
  refused('leads to an address that is not public; an operator can allow its host in OUTBOUND_ALLOW_HOSTS')

const LOOPBACK = '127.0.0.1'
/** Names that are this machine whatever a resolver says (RFC 6761, section 6.3). */
const isLocal = (host: string) => /(?:^|\.)localhost$/.test(plain(host))

/** Judges hosts: one private address among several is enough, for which of them will be used is not known. */
export const createJudge =
  ({ allowed, lookup }: { allowed: Allowed; lookup: Lookup }): Judge =>
  async (host) => {
    const addresses = isIP(host) ? [host] : isLocal(host) ? [LOOPBACK] : await lookup(host)
    if (!addresses.every((address) => mayReach(allowed, host, address))) throw notPublic()
    return addresses
  }

/** Whether a connection to the host may end at that address. */
export const mayReach = (allowed: Allowed, host: string, address: string): boolean =>
  allowed.host(host) || allowed.address(address) || isPublic(address)
