import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { WORKFLOW_NAMES } from '../../lib/gateway/workflows.ts'
import { startGateway } from './gateway.ts'

const text = fc.string({ unit: 'binary', maxLength: 200 })
/** A field as it should be, of any text, or anything at all. */
const loose = (right: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 8, arbitrary: right }, { weight: 1, arbitrary: text }, fc.jsonValue())

const hosts = ['127.0.0.1', '127.0.0.2', '[::1]', '0x7f.1', 'a@127.0.0.1', '*', '', 'ⓛocalhost']
const url = fc
  .tuple(fc.constantFrom('http', 'https', 'ftp', 'HTTP'), fc.constantFrom(...hosts), text)
  .map(([scheme, host, path]) => `${scheme}://${host}/${path}`)

const options = fc.record(
  {
    synchronous: loose(fc.boolean()),
    notifyUrl: loose(url),
    notifySecret: loose(text),
    timeout: loose(fc.integer({ min: 0, max: 3 })),
  },
  { requiredKeys: [] },
)
const task = fc.record(
  {
    title: loose(text),
    description: loose(text),
    prompt: loose(text),
    labels: loose(fc.array(text, { maxLength: 3 })),
  },
  { requiredKeys: ['title'] },
)
const body = fc.record(
  { task: loose(task), workflow: loose(fc.constantFrom(...WORKFLOW_NAMES)), options: loose(options) },
  { requiredKeys: ['task'] },
)

describe('the gateway', () => {
  it('takes or refuses whatever it is handed, and never fails over it', async () => {
    await using gateway = await startGateway({ env: { GATEWAY_RATE_LIMIT_RPM: '1000000' } })
    const seen = new Map<number, number>()
    const property = fc.asyncProperty(body, fc.option(text), async (given, key) => {
      gateway.clock.advance(1_000)
      const headers = key === null ? {} : { 'idempotency-key': key }
      const pending = gateway.submit(given, headers)
      await new Promise((resolve) => setImmediate(resolve))
      gateway.clock.advance(5)
      const { status } = await pending
      seen.set(status, (seen.get(status) ?? 0) + 1)
      expect([200, 202, 400]).toContain(status)
    })
    await fc.assert(property, { numRuns: 500, seed: 4 })
    expect([...seen.keys()].toSorted()).toEqual([200, 202, 400])
    expect(gateway.log.entries.filter(({ level }) => level === 'error')).toEqual([])
  })
})
