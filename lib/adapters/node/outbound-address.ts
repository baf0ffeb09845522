import { CONNREFUSED, NODATA, NOTFOUND } from 'node:dns'
import { lookup as lookUp, Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { badSetting } from '../../core/bad-setting.ts'
import { Problem } from '../../core/errors.ts'

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Range = [network: Address, prefixLength: number]

/** Addresses, networks and names that the operator allows, also private ones. */
export type Allowed = {
  host(name: string): boolean
  address(address: string): boolean
  /** Whether the list has any entry. */
  isSome: boolean
}

// Contains the public internet (RFC 4291, section 2.4); its special ranges are classified separately.
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3]
/**
 * Azure's service for its own machines:
 * https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
 */
const OF_THE_PLATFORM = ipaddr.parse('168.63.129.16').toString()
const HOST_NAME = /^[a-z0-9_](?:[a-z0-9_-]{0,62}\.)*[a-z0-9_-]{0,62}$/

/**
 * Whether an IP address is public. Addresses of special ranges are not: private, loopback, link-local, shared (CGNAT),
 * multicast, and the IPv6 forms that contain an IPv4 address (mapped, NAT64, 6to4, Teredo).
 */
export const isPublic = (text: string): boolean => {
  const address = parsed(text)
  if (address?.range() !== 'unicast' || address.toString() === OF_THE_PLATFORM) return false
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST)
}

/** Parses the operator's list. Throws Problem `bad_setting` for an entry that is neither address, network nor name. */
export const readAllowed = (entries: readonly string[]): Allowed => {
  const ranges: Range[] = []
  const names = new Set<string>()
  for (const entry of entries) {
    const range = addressRange(entry)
    if (range) ranges.push(range)
    else names.add(hostName(entry))
  }
  return {
    host: (name) => names.has(plain(name)),
    address: (text) => {
      const address = parsed(text)
      return address !== undefined && ranges.some((range) => isWithin(address, range))
    },
    isSome: entries.length > 0,
  }
}

/** A host name for comparisons: without case, and without a dot at the end. */
export const plain = (host: string): string => host.toLowerCase().replace(/\.$/, '')

const parsed = (text: string): Address | undefined => {
  try {
    return ipaddr.parse(text)
  } catch {
    return undefined
  }
}

const addressRange = (entry: string): Range | undefined => {
  const bare = entry.replace(/^\[(.*)\]$/, '$1')
  if (ipaddr.isValidCIDR(bare)) return ipaddr.parseCIDR(bare)
  if (!ipaddr.IPv4.isValidFourPartDecimal(bare) && !ipaddr.IPv6.isValid(bare)) return undefined
  const address = ipaddr.parse(bare)
  return [address, address.toByteArray().length * 8]
}

const hostName = (entry: string): string => {
  const name = plain(entry)
  if (HOST_NAME.test(name)) return name
  throw badSetting(`OUTBOUND_ALLOW_HOSTS: ${entry} is not a host, address or network`)
}

const isWithin = (address: Address, [network, bits]: Range): boolean =>
  address.kind() === network.kind() && address.match(network as ipaddr.IPv4 & ipaddr.IPv6, bits)

/** All addresses of a host; a connection may use any of them. */
export type Resolve = (host: string) => Promise<readonly string[]>

type LookupNeeds = { allowed: Allowed; nameServers?: readonly string[]; system?: Resolve }

/**
 * Looks names up. The system's lookup uses one of few threads that the whole process shares, and names of users whose
 * name servers never answer would block them all. So name servers are asked directly. The system, which also has a hosts
 * file, is asked for names that the operator lists, for names that no name server knows if the operator lists anything,
 * and when no name server is reachable.
 */
export const createLookup = ({ allowed, nameServers, system = systemLookup }: LookupNeeds): Resolve => {
  const isForSystem = (thrown: unknown) => {
    const { code } = Object(thrown) as { code?: unknown }
    return code === CONNREFUSED || (allowed.isSome && (code === NOTFOUND || code === NODATA))
  }
  return async (host) => {
    if (allowed.host(host)) return system(host)
    try {
      return await askNameServers(host, nameServers)
    } catch (thrown) {
      if (isForSystem(thrown)) return system(host)
      throw thrown
    }
  }
}

const systemLookup: Resolve = async (host) =>
  (await lookUp(host, { all: true })).map(({ address }) => address)

const askNameServers = async (host: string, servers: readonly string[] | undefined): Promise<string[]> => {
  // A new one for each lookup, which takes a tenth of a millisecond: it reads the present name servers.
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  if (servers) resolver.setServers(servers)
  const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  const addresses = [four, six].flatMap((found) => (found.status === 'fulfilled' ? found.value : []))
  if (addresses.length === 0 && four.status === 'rejected') throw four.reason
  return addresses
}

/** The message must not reveal the address of a name. */
export const refused = (why: string) => new Problem('invalid', 'url_refused', why)

export const notPublic = () =>
  refused('is not a public address. An operator can allow its host in OUTBOUND_ALLOW_HOSTS')

const LOOPBACK = '127.0.0.1'
/** Names that always mean this machine, so no resolver is asked (RFC 6761, section 6.3). */
const isLocal = (host: string) => /(?:^|\.)localhost$/.test(plain(host))

/** Resolves hosts. One private address refuses the host, since a connection may use any address. */
export const createResolve =
  ({ allowed, lookup }: { allowed: Allowed; lookup: Resolve }): Resolve =>
  async (host) => {
    const addresses = isIP(host) ? [host] : isLocal(host) ? [LOOPBACK] : await lookup(host)
    if (!addresses.every((address) => mayReach(allowed, host, address))) throw notPublic()
    return addresses
  }

/** Whether a connection to the host may end at that address. */
export const mayReach = (allowed: Allowed, host: string, address: string): boolean =>
  allowed.host(host) || allowed.address(address) || isPublic(address)
