import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { root, type Service, startService, temporaryFolder } from '../journeys/service.ts'

const MIB = 1_048_576
type Failure = { code: string; details: object; error: string }
const AT_ONCE = 8

const folder = temporaryFolder()
let provider: ChildProcess
let origin: string
let service: Service
beforeAll(async () => {
  provider = spawn(process.execPath, ['test/fixtures/hostile-provider.ts'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(provider.stdout ?? process.stdin, 'data')
  origin = String(line).trim()
  service = await startService({
    env: {
      DATA_DIR: folder.in('data'),
      OPENAI_API_KEY: 'planted.hostile.key',
      OPENAI_BASE_URL: `${origin}/v1`,
      OPENAI_MODEL: 'hello',
    },
    // As npm start has them.
    nodeArgs: ['--v8-pool-size=1', '--max-semi-space-size=8', '--heap-growing-percent=40'],
  })
})
afterAll(async () => {
  await service?.kill9()
  provider?.kill('SIGKILL')
  folder[Symbol.dispose]()
})

const post = (path: string, body: object) =>
  fetch(`${service.baseUrl}/api/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
const complete = (model: string) =>
  post('chat/completions', { model, messages: [{ role: 'user', content: 'Hi' }] })

/** The most memory that the service has had. */
const peakMib = (): number =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1]) / 1024
const sentBytes = async (model: string): Promise<number> =>
  ((await (await fetch(`${origin}/sent`)).json()) as Record<string, number>)[model] ?? 0

describe('eight answers at once of a provider that sends', () => {
  // Sockets take some MiB that are not read.
  it.each([
    ['one-line', 12],
    ['document', 12],
    ['text', 16],
    ['tokens', 24],
    ['thinking', 16],
    ['large-chunks', 64],
    ['long-ids', 4],
    ['long-names', 4],
    ['calls', 8],
    ['comments', 72],
  ])('%s end as too large, and the service goes on within its memory', async (model, mostMib) => {
    const all = await Promise.all(Array.from({ length: AT_ONCE }, () => complete(model)))
    for (const answer of all) {
      const { code, details, error } = (await answer.json()) as Failure
      expect([answer.status, code, details]).toEqual([
        503,
        'provider_error',
        { provider: 'openai', reason: 'too_large' },
      ])
      expect(error.length).toBeLessThan(200)
    }
    expect(await sentBytes(model)).toBeLessThan(AT_ONCE * mostMib * MIB)
    expect((await fetch(`${service.baseUrl}/api/health`)).status).toBe(200)
    expect(peakMib()).toBeLessThan(700)
  })

  it('hello are eight answers', async () => {
    const all = await Promise.all(Array.from({ length: AT_ONCE }, () => complete('hello')))
    expect(all.map(({ status }) => status)).toEqual(Array(AT_ONCE).fill(200))
  })
})

describe('redirects of a provider', () => {
  it('are transport errors, and open its breaker', async () => {
    const answers = []
    for (let n = 0; n < 11; n += 1) answers.push(await (await complete('redirect')).json())
    expect(answers[0]).toMatchObject({ code: 'provider_error', details: { reason: 'transport' } })
    expect(answers.at(-1)).toMatchObject({ code: 'circuit_open' })
  })
})
