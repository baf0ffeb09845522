import { createServer, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { Duplex } from 'node:stream'
import { type Allowed, plain, type Resolve } from './outbound-address.ts'
import { listenInFolder } from './socket-folder.ts'

const CONNECT_MS = 15_000
/** The most open connections of all programs. */
const MOST_CONNECTIONS = 256
const HTTPS_PORT = 443
/** A connection without traffic ends after this time. */
const IDLE_MS = 300_000
/** The rest of a connection whose other side has ended, or was refused, ends after this time. */
const LINGER_MS = 5_000

type Needs = {
  allowed: Allowed
  resolve: Resolve
  /** The hosts that programs reach, those below `example.com` as `*.example.com`; all when absent. */
  hosts?: readonly string[] | undefined
  /** Called for each refused connection. */
  onRefusal: (host: string, why: string) => void
  /** The host of PUBLIC_URL, and the port of the service. */
  service: { publicHost: string | undefined; port: () => number | undefined }
}

/**
 * An HTTP proxy on a Unix socket that only supports CONNECT (RFC 9110, section 9.3.6). It connects to public addresses on
 * port 443, and to those of OUTBOUND_ALLOW_HOSTS on every port, but never to the service itself, which may answer callers
 * on loopback without a key. With a list of hosts it connects to no other one, and looks up the name of no other one.
 */
export const openAgentProxy = async ({ allowed, resolve, hosts, onRefusal, service }: Needs) => {
  const open = new Set<Duplex>()

  const isService = (host: string, addresses: readonly string[], port: number): boolean =>
    (service.publicHost !== undefined && plain(host) === plain(service.publicHost)) ||
    (port === service.port() && addresses.some(isOwn))

  /** The one address to connect to, so that a name cannot resolve differently later; undefined for a refused one. */
  const allowedAddress = async (host: string, port: number): Promise<string | undefined> => {
    const addresses = await resolve(host)
    const [address] = addresses
    if (address === undefined || isService(host, addresses, port)) return undefined
    const isAllowed = allowed.host(host) || addresses.every(allowed.address)
    return port === HTTPS_PORT || isAllowed ? address : undefined
  }

  const server = createServer({ requestTimeout: CONNECT_MS, headersTimeout: CONNECT_MS }, (_, response) => {
    response.writeHead(405, { allow: 'CONNECT', connection: 'close' })
    response.end('This proxy passes https on and nothing else\n')
  })
  server.maxConnections = MOST_CONNECTIONS
  server.on('connect', (request: IncomingMessage, client: Duplex, head: Buffer) => {
    open.add(client)
    client.once('close', () => open.delete(client)).on('error', () => client.destroy())
    void passOn(request.url ?? '', client, head)
  })

  const passOn = async (target: string, client: Duplex, head: Buffer) => {
    const url = URL.parse(`https://${target}`)
    const host = url?.hostname.replace(/^\[(.*)\]$/, '$1') ?? ''
    const port = Number(url?.port || HTTPS_PORT)
    const isListed = hosts === undefined || hosts.some((pattern) => isWithin(plain(host), pattern))
    const address =
      host === '' || !isListed ? undefined : await allowedAddress(host, port).catch(() => undefined)
    if (address === undefined) onRefusal(host, isListed ? NO_ADDRESS : NOT_LISTED)
    if (client.destroyed) return
    if (address === undefined) return refuse(client)
    const upstream = connect({ host: address, port, timeout: CONNECT_MS })
    upstream.once('error', () => refuse(client)).once('timeout', () => upstream.destroy())
    client.once('close', () => upstream.destroy())
    upstream.once('connect', () => {
      upstream.removeAllListeners('error').on('error', () => client.destroy())
      upstream.setTimeout(IDLE_MS)
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      upstream.write(head)
      client.pipe(upstream).pipe(client)
      // A program that has ended reads nothing more, and a host that keeps sending is not awaited.
      client.once('end', () => setTimeout(() => client.destroy(), LINGER_MS).unref())
    })
    upstream.once('close', () => setTimeout(() => client.destroy(), LINGER_MS).unref())
  }

  const { path, remove } = await listenInFolder(server)
  return {
    path,
    close: async () => {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
      await remove()
    },
  }
}

const NOT_LISTED = 'AGENT_NETWORK does not have it'
const NO_ADDRESS = 'it has no public address, is the service, or was asked for on another port than 443'

const isWithin = (host: string, pattern: string): boolean =>
  pattern.startsWith('*.')
    ? host.endsWith(pattern.slice(1)) && host.length >= pattern.length
    : host === pattern

/** One answer for all refusals: a program must not learn which internal addresses exist. */
const refuse = (client: Duplex) => {
  client.end(
    'HTTP/1.1 403 Forbidden\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\nThis host cannot be reached from here\n',
  )
  client.resume()
  setTimeout(() => client.destroy(), LINGER_MS).unref()
}

const isOwn = (address: string): boolean => {
  const bare = address.replace(/^::ffff:/i, '')
  if (/^127\./.test(bare) || ['::1', '::', '0.0.0.0'].includes(bare)) return true
  return Object.values(networkInterfaces()).some((found) => found?.some((own) => own.address === bare))
}

/** The port of the proxy in a sandbox. */
export const PROXY_PORT = 3_128
export const PROXY_URL = `http://127.0.0.1:${PROXY_PORT}`
