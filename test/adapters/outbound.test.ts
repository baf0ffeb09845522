import { once } from 'node:events'
import { describe, expect, it } from '@jest/globals'
import { Client } from 'undici'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { createOutbound } from '../../lib/adapters/node/outbound.ts'
import {
  createLookup,
  isPublic,
  type Resolve,
  readAllowed,
} from '../../lib/adapters/node/outbound-address.ts'
import { createGuardedConnect } from '../../lib/adapters/node/outbound-connect.ts'
import { privateHosts } from '../tools/attacks.ts'
import { startNameServer } from './name-server.ts'
import { startReceiver } from './outbound-receiver.ts'

const PUBLIC = '93.184.216.34'

/** Answers each question with the next list; the last one stays. */
const fakeLookup = (...answers: string[][]) => {
  const asked: string[] = []
  const lookup: Resolve = async (host) => {
    asked.push(host)
    return answers[Math.min(asked.length, answers.length) - 1] ?? []
  }
  return { asked, lookup }
}

const outbound = (allow: string[] = [], lookup?: Resolve) =>
  createOutbound({ clock: createClock(), allow, ...(lookup ? { lookup } : {}) })
const local = outbound(['127.0.0.1'])

const REFUSED = { kind: 'invalid', code: 'url_refused' }

describe('an address', () => {
  it.each([
    ['127.0.0.1', '127.255.255.254', '0.0.0.0', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
    ['169.254.169.254', '100.64.0.1', '100.127.255.255', '198.18.0.1', '192.0.0.8', '224.0.0.1'],
    ['240.0.0.1', '255.255.255.255', '192.88.99.1', '203.0.113.5', '168.63.129.16', '::ffff:168.63.129.16'],
    ['::', '::1', 'fe80::1', 'fe80::1%eth0', 'fc00::1', 'fd12:3456::1', 'fec0::1', 'ff02::1', '2001:db8::1'],
    ['::ffff:127.0.0.1', '::ffff:7f00:1', '::127.0.0.1', '::ffff:0:127.0.0.1', '64:ff9b::7f00:1'],
    ['64:ff9b:1::a00:1', '2002:7f00:1::', '2001:0:7f00:1::', '100::1', '5f00::1', '4000::1', ''],
  ])('of a private or special range is not public: %s and the like', (...addresses) => {
    expect(addresses.filter(isPublic)).toEqual([])
  })

  it('of the public internet is public', () => {
    const addresses = [PUBLIC, '1.1.1.1', '8.8.8.8', '172.32.0.1', '2606:4700::1111', '2a00:1450:4001::200e']
    expect(addresses.filter(isPublic)).toEqual(addresses)
  })
})

describe('a request to a private address', () => {
  it.each(privateHosts)('is refused as %s, before anything connects', async (host) => {
    await using receiver = await startReceiver()
    const url = `http://${host}:${receiver.port}/hook`
    await expect(outbound().check(url)).rejects.toMatchObject(REFUSED)
    await expect(outbound().send({ method: 'POST', url })).rejects.toMatchObject(REFUSED)
    expect(receiver.connections).toBe(0)
  })

  it.each([
    ['a name that stands for one', [['127.0.0.1']]],
    ['a name that stands for one and a public one', [[PUBLIC, '127.0.0.1']]],
    ['a name that stands for a public one and one in IPv6', [[PUBLIC, '::1']]],
    ['a name that stands for one in disguise', [['::ffff:127.0.0.1']]],
  ])('is refused by %s', async (_title, answers) => {
    await using receiver = await startReceiver()
    const { lookup } = fakeLookup(...answers)
    const url = `http://internal.example:${receiver.port}/hook`
    await expect(outbound([], lookup).check(url)).rejects.toMatchObject(REFUSED)
    await expect(outbound([], lookup).send({ method: 'GET', url })).rejects.toMatchObject(REFUSED)
    expect(receiver.connections).toBe(0)
  })

  it('is refused when the name changed its mind after it was checked', async () => {
    await using receiver = await startReceiver()
    const { lookup, asked } = fakeLookup([PUBLIC], ['127.0.0.1'])
    const rebinding = outbound([], lookup)
    const url = `http://rebinding.example:${receiver.port}/hook`
    await rebinding.check(url)
    await expect(rebinding.send({ method: 'GET', url })).rejects.toMatchObject(REFUSED)
    expect(asked).toEqual(['rebinding.example', 'rebinding.example'])
    expect(receiver.connections).toBe(0)
  })

  it('looks a name up once and connects to the checked address, so that a third answer has no effect', async () => {
    await using receiver = await startReceiver()
    const { lookup, asked } = fakeLookup(['127.0.0.1'], ['10.0.0.1'])
    const allowing = outbound(['127.0.0.0/8'], lookup)
    const url = `http://receiver.example:${receiver.port}/hook`
    await expect(allowing.send({ method: 'GET', url })).resolves.toMatchObject({ status: 200 })
    expect(asked).toEqual(['receiver.example'])
    expect(receiver.heard[0]?.headers.host).toBe(`receiver.example:${receiver.port}`)
  })

  it('tells the receiver nothing when the socket turns out to be connected to one', async () => {
    await using receiver = await startReceiver()
    const allowed = readAllowed([])
    const connect = createGuardedConnect({ allowed, resolve: async () => ['127.0.0.1'], timeoutMs: 5_000 })
    const client = new Client(`http://misled.example:${receiver.port}`, { connect })
    const sent = client.request({ method: 'POST', path: '/hook', body: 'secret' })
    await expect(sent).rejects.toMatchObject(REFUSED)
    expect(receiver.heard).toEqual([])
    await client.destroy()
  })

  it('says nothing of what the name stands for', async () => {
    const { lookup } = fakeLookup(['10.11.12.13'])
    const thrown = await outbound([], lookup)
      .check('http://internal.example/')
      .catch((error: Error) => error)
    expect(String(thrown)).toContain('OUTBOUND_ALLOW_HOSTS')
    expect(String(thrown)).not.toContain('10.11')
  })
})

describe('a name', () => {
  const lookups = (allow: string[], nameServer: string) => {
    const { lookup: system, asked } = fakeLookup(['10.0.0.7'])
    return { asked, lookup: createLookup({ allowed: readAllowed(allow), nameServers: [nameServer], system }) }
  }

  it('whose name servers never answer takes no thread of the system, and delays no other', async () => {
    await using server = await startNameServer({ 'known.example': [PUBLIC] })
    const { lookup, asked } = lookups(['10.0.0.0/8'], server.address)
    const hanging = Array.from({ length: 50 }, (_, at) => lookup(`hangs-${at}.example`))
    const ended = Promise.race(hanging.map((one) => one.catch(() => 'a time-out')))
    expect(await Promise.race([lookup('known.example'), ended])).toEqual([PUBLIC])
    expect(server.asked).toContain('hangs-49.example')
    await Promise.allSettled(hanging)
    expect(asked).toEqual([])
  })

  it.each<[string, string[], string, string[], boolean]>([
    ['that is known is looked up there', ['10.0.0.0/8'], 'known.example', [PUBLIC], false],
    ['that the operator lists is the system’s', ['listed.example'], 'listed.example', ['10.0.0.7'], true],
    ['that is unknown there may be the system’s', ['10.0.0.0/8'], 'unknown.example', ['10.0.0.7'], true],
  ])('%s', async (_what, allow, name, addresses, isSystem) => {
    await using server = await startNameServer({ 'known.example': [PUBLIC], 'unknown.example': [] })
    const { lookup, asked } = lookups(allow, server.address)
    expect(await lookup(name)).toEqual(addresses)
    expect(asked).toEqual(isSystem ? [name] : [])
  })

  it('that is unknown is not looked up again where no private address is allowed', async () => {
    await using server = await startNameServer({ 'unknown.example': [] })
    const { lookup, asked } = lookups([], server.address)
    await expect(lookup('unknown.example')).rejects.toMatchObject({ code: 'ENOTFOUND' })
    expect(asked).toEqual([])
  })

  it('is the system’s where no name server can be reached', async () => {
    const { address, [Symbol.asyncDispose]: stop } = await startNameServer({})
    await stop()
    expect(await lookups([], address).lookup('any.example')).toEqual(['10.0.0.7'])
  })
})

describe('a URL', () => {
  it.each([
    ['another scheme', 'ftp://example.com/'],
    ['a file', 'file:///etc/passwd'],
    ['a script', 'javascript:alert(1)'],
    ['credentials', 'https://user@example.com/'],
    ['credentials that look like a host', 'https://example.com:443@127.0.0.1/'],
    ['a password', 'https://:secret@example.com/'],
    ['nothing at all', ''],
  ])('with %s is refused', async (_title, url) => {
    await expect(outbound().check(url)).rejects.toMatchObject(REFUSED)
    await expect(outbound().send({ method: 'GET', url })).rejects.toMatchObject(REFUSED)
  })

  it('passes the check when its name cannot be looked up, since it may be later', async () => {
    const lookup: Resolve = async () => {
      throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' })
    }
    const lost = outbound([], lookup)
    await lost.check('https://not-yet.example/')
    await expect(lost.send({ method: 'GET', url: 'https://not-yet.example/' })).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'outbound_failed',
      message: 'No response (ENOTFOUND)',
    })
  })
})

describe('what the operator allows', () => {
  it.each([
    ['an address', '127.0.0.1', '127.0.0.1'],
    ['a network', '127.0.0.0/8', '127.0.0.1'],
    ['a name', 'Receiver.Example', 'receiver.example'],
    ['a name, asked for with a dot at its end', 'receiver.example', 'receiver.example.'],
  ])('by %s is reached', async (_title, entry, host) => {
    await using receiver = await startReceiver()
    const { lookup } = fakeLookup(['127.0.0.1'])
    const url = `http://${host}:${receiver.port}/hook?a=1`
    await outbound([entry], lookup).check(url)
    const answer = await outbound([entry], lookup).send({ method: 'POST', url, body: '{"ä":1}' })
    expect(answer).toMatchObject({ status: 200, body: 'ok', truncated: false })
    expect(receiver.heard).toMatchObject([{ path: '/hook?a=1', body: '{"ä":1}' }])
  })

  it('opens nothing beside it', async () => {
    const { lookup } = fakeLookup(['127.0.0.1'])
    const narrow = outbound(['10.0.0.0/8', 'other.example', '::1'], lookup)
    for (const url of [
      'http://127.0.0.1/',
      'http://receiver.example/',
      'http://192.168.0.1/',
      'http://[::2]/',
    ])
      await expect(narrow.check(url)).rejects.toMatchObject(REFUSED)
    for (const url of ['http://10.1.2.3/', 'http://other.example/', 'http://[::1]/']) await narrow.check(url)
  })

  it.each(['10.0.0.0/33', 'a b', 'https://example.com', '*.example.com', 'a/b'])(
    'is refused by name when it makes no sense: %s',
    (entry) => {
      expect(() => outbound([entry])).toThrow(/^OUTBOUND_ALLOW_HOSTS: /)
    },
  )
})

describe('a receiver', () => {
  it('that redirects is not followed', async () => {
    await using target = await startReceiver()
    await using receiver = await startReceiver((response) =>
      response.writeHead(302, { location: target.url }).end(),
    )
    const answer = await local.send({ method: 'GET', url: receiver.url })
    expect(answer).toMatchObject({ status: 302, headers: { location: target.url } })
    expect(target.connections).toBe(0)
  })

  it('that never answers is given up within 100 milliseconds, as asked', async () => {
    await using receiver = await startReceiver(() => undefined)
    const sent = local.send({ method: 'POST', url: receiver.url, timeoutMs: 100 })
    await expect(sent).rejects.toMatchObject({ kind: 'unavailable', code: 'outbound_timeout' })
  })

  it('that drips is given up when time is up, and its connection is closed', async () => {
    let closed: Promise<unknown> | undefined
    await using receiver = await startReceiver((response) => {
      closed = once(response, 'close')
      const drip = setInterval(() => response.write('.'), 10)
      response.once('close', () => clearInterval(drip))
    })
    const sent = local.send({ method: 'POST', url: receiver.url, timeoutMs: 200 })
    await expect(sent).rejects.toMatchObject({ code: 'outbound_timeout' })
    await closed
  })

  it('that sends its headers letter by letter is given up too', async () => {
    await using receiver = await startReceiver((response) => {
      const letters = ['HTTP/1.1 200 OK\r\n', ...'x: abcdefghijklmnopqrstuvwxyz'].values()
      const drip = setInterval(() => response.socket?.write(letters.next().value ?? 'z'), 10)
      response.once('close', () => clearInterval(drip))
    })
    const sent = local.send({ method: 'GET', url: receiver.url, timeoutMs: 200 })
    await expect(sent).rejects.toMatchObject({ code: 'outbound_timeout' })
  })

  it('that sends without end is read for 64 kB and no further', async () => {
    let written = 0
    let closed: Promise<unknown> | undefined
    await using receiver = await startReceiver((response) => {
      closed = once(response, 'close')
      const chunk = Buffer.alloc(65_536, 'x')
      const more = () => {
        while (!response.destroyed && response.write(chunk)) written += chunk.length
        written += chunk.length
      }
      response.on('drain', more)
      more()
    })
    const answer = await local.send({ method: 'GET', url: receiver.url })
    expect(answer).toMatchObject({ status: 200, truncated: true })
    expect(answer.body).toHaveLength(65_536)
    await closed
    // What the buffers of both ends hold may have been written besides.
    expect(written).toBeLessThan(50_000_000)
  })

  it('that resets the connection is no answer', async () => {
    await using receiver = await startReceiver((response) => response.socket?.resetAndDestroy())
    await expect(local.send({ method: 'POST', url: receiver.url })).rejects.toMatchObject({
      code: 'outbound_failed',
    })
  })

  it('that is not there is no answer, and the error does not say where it was looked for', async () => {
    const gone = await startReceiver()
    await gone[Symbol.asyncDispose]()
    await expect(local.send({ method: 'POST', url: gone.url })).rejects.toMatchObject({
      code: 'outbound_failed',
      message: 'No response (ECONNREFUSED)',
    })
  })

  it('whose name has no address is no answer, and the process lives on', async () => {
    const { lookup } = fakeLookup([])
    const sent = outbound([], lookup).send({ method: 'POST', url: 'http://nowhere.example:81/hook' })
    await expect(sent).rejects.toMatchObject({ message: 'No response (ENOTFOUND)' })
  })

  it('is reached without the proxy of the environment', async () => {
    await using proxy = await startReceiver()
    await using receiver = await startReceiver()
    const before = { ...process.env }
    Object.assign(process.env, { HTTP_PROXY: proxy.url, http_proxy: proxy.url, NODE_USE_ENV_PROXY: '1' })
    try {
      await outbound(['127.0.0.1']).send({ method: 'GET', url: receiver.url })
    } finally {
      process.env = before
    }
    expect([receiver.heard.length, proxy.connections]).toEqual([1, 0])
  })

  it('gets a connection of its own with every request', async () => {
    await using receiver = await startReceiver()
    for (let n = 0; n < 3; n++) await local.send({ method: 'GET', url: receiver.url })
    expect(receiver.connections).toBe(3)
  })

  it('of https must prove who it is', async () => {
    await using receiver = await startReceiver()
    const url = receiver.url.replace('http:', 'https:')
    await expect(local.send({ method: 'GET', url })).rejects.toMatchObject({ code: 'outbound_failed' })
    expect(receiver.heard).toEqual([])
  })
})
