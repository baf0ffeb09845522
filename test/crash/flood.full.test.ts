import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { routes } from '../../lib/api/routes.ts'
import type { Route } from '../../lib/http/route.ts'
import { type Asked, rawSender } from '../journeys/raw.ts'
import { type Service, startService, temporaryFolder } from '../journeys/service.ts'

/**
 * 5,000 is the full size. Only then is time checked, and are there several connections: `npm run soak` runs one test at a
 * time. In `npm test` each route gets each body once.
 */
const FULL_FLOOD_MS = process.env.FLOOD_MS
const FLOOD_MS = Number(FULL_FLOOD_MS ?? 0)
const CONNECTIONS = FULL_FLOOD_MS ? 3 : 1
const HEALTH_MS = 250
/** What is accepted is parsed too, which takes ten times as long. */
const HEALTH_WHEN_READ_MS = 500

const EMPTY_OBJECTS = Buffer.from(`[${'{},'.repeat(349_524)}{}]`)
const OBJECTS_IN_A_FIELD = Buffer.from(`{"title":"T","metadata":{"a":[${'{},'.repeat(349_000)}{}]}}`)

// Just under the limit of values: these are parsed, and compared with a schema.
const MOST_OBJECTS = Buffer.from(`[${'{},'.repeat(99_979)}{}]`)
const MOST_KEYS = Buffer.from(`{${Array.from({ length: 49_980 }, (_, at) => `"k${at}":{}`).join(',')}}`)

const all: readonly Route[] = Object.values(routes)
const taking = all.filter(({ body, rawBody }) => body ?? rawBody)

const needToken = all.filter(({ access }) => access === 'runner' || access === 'gateway')

/** What each such route says of 1 MiB of empty objects where nobody has to sign in. */
const ANSWERS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(needToken.map(({ method, path }) => [`${method} ${path}`, ['401 token_required']])),
  'POST /api/auth/signup': ['501 cloud_mode_only'],
  'POST /api/auth/login': ['501 cloud_mode_only'],
  'POST /api/auth/password': ['501 cloud_mode_only'],
  'POST /api/auth/reset': ['501 cloud_mode_only'],
  'POST /api/auth/verify-access-key': ['413 too_many_values', '429 rate_limited'],
  'POST /api/devices/attest': ['413 body_too_large'],
  'POST /api/devices/verify': ['413 body_too_large'],
  'POST /api/devices/pairing/request': ['413 too_many_values', '429 rate_limited'],
  'POST /api/devices/pairing/approve': ['413 too_many_values', '429 rate_limited'],
  // The same limit.
  'POST /api/devices/pairing/reject': ['413 too_many_values', '429 rate_limited'],
  'POST /api/tasks/import': ['413 too_many_values', '429 import_under_way', '429 rate_limited'],
  'POST /api/webhooks/codehost': ['403 invalid_signature'],
  'POST /api/webhooks/trackera': ['403 invalid_signature'],
  'POST /api/webhooks/trackerb': ['403 invalid_signature'],
}

const calls = (bodies: readonly Buffer[]) =>
  taking.flatMap(({ method, path }) => bodies.map((body) => [`${method} ${path}`, body] as const))

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN

describe(`bodies of very many values, on connections at once: ${CONNECTIONS}`, () => {
  const folder = temporaryFolder()
  let service: Service
  const slowest: Record<string, number> = {}
  beforeAll(async () => {
    const mostMs = 120_000 + 60 * FLOOD_MS
    service = await startService({ env: { DATA_DIR: folder.path, MEMORY_DIR: folder.in('memory') }, mostMs })
  })
  afterAll(async () => {
    process.stdout.write(`Slowest health answer in a flood, ms: ${JSON.stringify(slowest)}\n`)
    await service?.kill9()
    folder[Symbol.dispose]()
  })

  /** The answers to a flood, and how long others waited for theirs meanwhile. */
  const flood = async (name: string, body: Buffer) => {
    const [method = '', path = ''] = name.split(' ')
    const asked: Asked = { method, path: path.replaceAll(/\{\w+\}/g, 'some'), body }
    const until = performance.now() + FLOOD_MS
    const answers = new Set<string>()
    const waits: number[] = []
    const send = async () => {
      using raw = rawSender(service.baseUrl)
      do {
        const { status, json } = await raw.send(asked)
        answers.add(`${status} ${(json as { code?: string }).code}`)
      } while (performance.now() < until)
    }
    const ask = async () => {
      using raw = rawSender(service.baseUrl)
      do {
        const begun = performance.now()
        await raw.send({ path: '/api/health' })
        waits.push(performance.now() - begun)
        await sleep(5)
      } while (performance.now() < until)
    }
    await Promise.all([ask(), ...Array.from({ length: CONNECTIONS }, send)])
    slowest[name] = Math.round(Math.max(slowest[name] ?? 0, ...waits))
    return { answers: [...answers], medianMs: median(waits) }
  }

  it.each(calls([EMPTY_OBJECTS, OBJECTS_IN_A_FIELD]))(
    'with 350,000 are refused at %s, and health is answered, at full size within 250 milliseconds',
    async (name, body) => {
      const { answers, medianMs } = await flood(name, body)
      expect(ANSWERS[name] ?? ['413 too_many_values']).toEqual(expect.arrayContaining(answers))
      if (FULL_FLOOD_MS) expect(medianMs).toBeLessThan(HEALTH_MS)
    },
  )

  it.each(calls([MOST_OBJECTS, MOST_KEYS]))(
    'with just under 100,000 are read at %s, and health is answered, at full size within 500 milliseconds',
    async (name, body) => {
      const { answers, medianMs } = await flood(name, body)
      expect(answers.filter((answer) => /too_many_values|^50[^1]/.test(answer))).toEqual([])
      if (FULL_FLOOD_MS) expect(medianMs).toBeLessThan(HEALTH_WHEN_READ_MS)
    },
  )
})
