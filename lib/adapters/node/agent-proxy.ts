import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { type Allowed, plain, type Resolve } from './outbound-address.ts'

const CONNECT_MS = 15_000
/** Connections that are open at once, over all programs. */
const MOST_CONNECTIONS = 256
const HTTPS_PORT = 443
/** A connection that passes nothing on for so long ends. */
const IDLE_MS = 300_000
/** What is left of a connection whose other side has ended or was refused ends after this. */
const LINGER_MS = 5_000

type Needs = {
  allowed: Allowed
  resolve: Resolve
  /** The host of PUBLIC_URL, and the port that the service listens on. */
  service: { publicHost: string | undefined; port: () => number | undefined }
}

/**
 * An HTTP proxy on a Unix socket that understands CONNECT alone (RFC 9110, section 9.3.6). It connects to public
 * addresses on port 443, and to what OUTBOUND_ALLOW_HOSTS names on every port, but never to the service itself: what
 * answers without a key on loopback would answer a program of an agent too.
 */
export const openAgentProxy = async ({ allowed, resolve, service }: Needs) => {
  const folder = await mkdtemp(join(tmpdir(), 'agent-proxy-'))
  const path = join(folder, 'proxy.sock')
  const open = new Set<Duplex>()

  const isService = (host: string, addresses: readonly string[], port: number): boolean =>
    (service.publicHost !== undefined && plain(host) === plain(service.publicHost)) ||
    (port === service.port() && addresses.some(isOwn))

  /** The one address to connect to, so that the name cannot change its mind; undefined for what is refused. */
  const addressOf = async (host: string, port: number): Promise<string | undefined> => {
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
    const address = host === '' ? undefined : await addressOf(host, port).catch(() => undefined)
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
      // A program that has ended reads nothing more, and a host that goes on all the same is not waited for.
      client.once('end', () => setTimeout(() => client.destroy(), LINGER_MS).unref())
    })
    upstream.once('close', () => setTimeout(() => client.destroy(), LINGER_MS).unref())
  }

  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve))
  // Programs may run as another user; the folder keeps other users of the machine out.
  await chmod(path, 0o666)
  return {
    path,
    close: async () => {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** One answer for all: a program must not learn which addresses there are inside. */
const refuse = (client: Duplex) => {
  client.end(
    'HTTP/1.1 403 Forbidden\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\nThis host cannot be reached from here\n',
  )
  client.resume()
  setTimeout(() => client.destroy(), LINGER_MS).unref()
}

/** Whether an address is one of this machine. */
const isOwn = (address: string): boolean => {
  const bare = address.replace(/^::ffff:/i, '')
  if (/^127\./.test(bare) || ['::1', '::', '0.0.0.0'].includes(bare)) return true
  return Object.values(networkInterfaces()).some((found) => found?.some((own) => own.address === bare))
}
