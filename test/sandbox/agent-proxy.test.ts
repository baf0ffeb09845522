import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { openAgentProxy } from '../../lib/adapters/node/agent-proxy.ts'
import { readAllowed } from '../../lib/adapters/node/outbound-address.ts'
import { createRefusalLog } from '../../lib/adapters/node/refusal-log.ts'
import { readConfig } from '../../lib/config/config.ts'
import { createFakeClock } from '../fakes/clock.ts'

const upstream = createServer((socket) => void socket.on('data', (data) => socket.end(`echo ${data}`)))
let port = 0
beforeAll(async () => {
  await once(upstream.listen(0, '127.0.0.1'), 'listening')
  port = (upstream.address() as { port: number }).port
})
afterAll(() => void upstream.close())

/** What a program hears that asks the proxy for a tunnel and speaks through it. */
const tunnel = async (path: string, target: string): Promise<string> => {
  const socket = connect(path)
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: x\r\n\r\n`)
  let heard = ''
  socket.on('data', (data) => {
    if (heard === '' && String(data).startsWith('HTTP/1.1 200')) socket.write('hello')
    heard += data
  })
  await once(socket, 'close')
  return heard.startsWith('HTTP/1.1 200') ? (heard.split('\r\n\r\n')[1] ?? '') : heard.slice(9, 12)
}

describe('the proxy of the sandbox with a list of hosts', () => {
  it.each([
    ['a listed host', 'registry.example.org', 'echo hello'],
    ['it in other letters and with a dot at its end', 'Registry.Example.ORG.', 'echo hello'],
    ['a host below a listed one', 'a.b.example.com', 'echo hello'],
    ['the one above', 'example.com', '403'],
    ['one that ends alike', 'notexample.com', '403'],
    ['one below a host that is listed alone', 'x.registry.example.org', '403'],
    ['a listed name before that of another host', 'registry.example.org@evil.test', '403'],
    ['the address of a listed host', '127.0.0.1', '403'],
    ['another host, which OUTBOUND_ALLOW_HOSTS has', 'other.example.net', '403'],
  ])('decides by the name: %s', async (_title, host, heard) => {
    const asked: string[] = []
    const allow = ['registry.example.org', 'a.b.example.com', 'other.example.net', '127.0.0.1']
    const { AGENT_NETWORK } = readConfig({ AGENT_NETWORK: 'registry.example.org, *.example.com' })
    const refusals: string[] = []
    const proxy = await openAgentProxy({
      allowed: readAllowed(allow),
      resolve: async (name) => {
        asked.push(name)
        return ['127.0.0.1']
      },
      hosts: AGENT_NETWORK as readonly string[],
      onRefusal: (refused) => void refusals.push(refused),
      service: { publicHost: undefined, port: () => undefined },
    })
    try {
      expect(await tunnel(proxy.path, `${host}:${port}`)).toBe(heard)
      // The name of a refused host could carry what a program wants to tell its owner.
      expect(asked).toHaveLength(heard === '403' ? 0 : 1)
      expect(refusals).toHaveLength(heard === '403' ? 1 : 0)
    } finally {
      await proxy.close()
    }
  })
})

describe('the log of refused hosts', () => {
  it('names each once a day, and at most a hundred', () => {
    const clock = createFakeClock()
    const lines: object[] = []
    const log = { warn: (fields: object) => void lines.push(fields) }
    const refuse = createRefusalLog({
      clock,
      log: { ...log, debug: log.warn, info: log.warn, error: log.warn },
    })
    for (let round = 0; round < 3; round++)
      for (let host = 0; host < 50; host++) refuse(`${host}.test`, 'not listed')
    expect(lines).toHaveLength(50)
    expect(lines[0]).toEqual({ host: '0.test', why: 'not listed' })
    for (let host = 0; host < 10_000; host++) refuse(`${host}.test`, 'not listed')
    expect(lines).toHaveLength(101)
    clock.advance(86_400_000)
    refuse('0.test', 'not listed')
    expect(lines).toHaveLength(102)
  })
})

describe('AGENT_NETWORK', () => {
  const read = (AGENT_NETWORK: string) => readConfig({ AGENT_NETWORK }).AGENT_NETWORK

  it.each<[string, unknown]>([
    ['off', 'off'],
    ['on', 'on'],
    ['', 'off'],
    ['a.test', ['a.test']],
    [' A.test., *.B.test,,a.test ', ['a.test', '*.b.test']],
    ['bücher.example', ['xn--bcher-kva.example']],
    [
      'localhost,registry.,203.0.113.7,[2001:DB8::1]',
      ['localhost', 'registry', '203.0.113.7', '2001:db8::1'],
    ],
  ])('reads %j', (given, network) => expect(read(given)).toEqual(network))

  it.each([
    ...[
      'true',
      'ON',
      'on,a.test',
      'off,on',
      '*',
      '*.',
      '*.*.a.test',
      'a.*.test',
      'https://a.test',
      'a.test:443',
    ],
    ...[
      'a.test/path',
      'user@a.test',
      'a b.test',
      '10.0.0.0/8',
      '*.10.0.0.1',
      'a..test',
      '.a.test',
      '%61.test',
    ],
  ])('refuses %j, and says what it must be', (given) => {
    expect(() => read(given)).toThrow(/AGENT_NETWORK: .* is not a host. Use off, on, or hosts/)
  })
})
