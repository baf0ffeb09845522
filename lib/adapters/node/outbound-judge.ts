import { lookup as lookUp } from 'node:dns/promises'
import { isIP } from 'node:net'
import { Problem } from '../../core/errors.ts'
import { type Allowed, isPublic, plain } from './outbound-address.ts'

/** Every address of a name, as the system knows it. */
export type Lookup = (host: string) => Promise<readonly string[]>

/** Where a host leads: all of its addresses, each of which a connection may have. */
export type Judge = (host: string) => Promise<readonly string[]>

export const systemLookup: Lookup = async (host) =>
  (await lookUp(host, { all: true })).map(({ address }) => address)

/** A request to a place that it may not reach. The message does not say what a name stands for. */
export const refused = (why: string) => new Problem('invalid', 'url_refused', why)

export const notPublic = () =>
  refused('leads to an address that is not public; an operator can allow its host in OUTBOUND_ALLOW_HOSTS')

const LOOPBACK = '127.0.0.1'
/** Names that are this machine whatever a resolver says (RFC 6761, section 6.3). */
const isLocal = (host: string) => /(?:^|\.)localhost$/.test(plain(host))

/** Judges hosts: one private address among several is enough, for nobody can tell which of them will be used. */
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
