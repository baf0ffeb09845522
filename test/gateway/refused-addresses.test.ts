import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type StartedGateway, startGateway, TOKEN } from './gateway.ts'

/** Hosts of every class of address that is not of the public internet, in the notations that a URL has for them. */
const hosts: Readonly<Record<string, readonly string[]>> = {
  loopback: [
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '0177.0.0.1',
    '2130706433',
    '１２７.0.0.1',
    'localhost',
    '[::1]',
  ],
  private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '[fd00::1]', '[fec0::1]'],
  'link-local': ['169.254.169.254', '[fe80::1]'],
  'shared (CGNAT)': ['100.64.0.1', '100.127.255.255'],
  'IPv4 in IPv6': ['[::ffff:10.0.0.1]', '[64:ff9b::10.0.0.1]', '[2002:a00:1::]', '[2001:0:a00:1::]'],
  'no host or many': ['0.0.0.0', '[::]', '255.255.255.255', '224.0.0.1', '[ff02::1]'],
  benchmarks: ['198.18.0.1', '198.19.255.254', '[2001:2::1]'],
  documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.1', '[2001:db8::1]'],
  'special use': ['192.175.48.1', '192.31.196.1', '192.52.193.1', '240.0.0.1', '[2001:3::1]', '[2001:20::1]'],
}

describe('notifyUrl', () => {
  let gateway: StartedGateway
  beforeAll(async () => {
    gateway = await startGateway({ background: false, env: { OUTBOUND_ALLOW_HOSTS: '' } })
  })
  afterAll(() => gateway[Symbol.asyncDispose]())

  it.each(Object.entries(hosts))('is refused at an address for %s: %j', async (_class, names) => {
    for (const host of names) {
      const notifyUrl = `http://${host}:8080/hook`
      // A token for each, so that none is refused for asking too often.
      const as = { ...TOKEN, tokenId: `tok_${host}` }
      const { status, body } = await gateway.submit({ task: { title: 'T' }, options: { notifyUrl } }, { as })
      expect([host, status, body.code]).toEqual([host, 400, 'url_refused'])
      expect(body.details).toMatchObject([{ path: 'options.notifyUrl' }])
    }
    expect((await gateway.tasks.analytics()).totalTasks).toBe(0)
  })
})
