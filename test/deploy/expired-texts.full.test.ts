import { beforeAll, describe, expect, it } from '@jest/globals'
import type * as z from 'zod'
import { createBlobOffload } from '../../lib/adapters/aws/dynamodb/blob-offload.ts'
import { tablePlan } from '../../lib/adapters/aws/dynamodb/plan.ts'
import { agentSessions, KEEP_MS as KEPT_SESSIONS_MS } from '../../lib/agentic/rows.ts'
import { collections } from '../../lib/collections.ts'
import { deliveryRows } from '../../lib/deliveries/rows.ts'
import { toolCalls } from '../../lib/security/rows.ts'
import { KEPT_MS as KEPT_CALLS_MS } from '../../lib/security/tool-calls.ts'
import { settingsCatalog } from '../../lib/settings/schema.ts'
import { inboundEvents, KEPT_MS } from '../../lib/webhooks/rows.ts'
import { openDeliveries, sample } from '../deliveries/opened.ts'
import { createMemoryBlobs } from '../fakes/memory-blobs.ts'
import { printStage } from './serverless.ts'

const DAY_MS = 86_400_000
/** S3 counts from when an object was made; a row may be written again, and be due while nothing runs. */
const MARGIN_MS = 5 * DAY_MS

type Rule = { Prefix?: string; ExpirationInDays?: number; Status: string }
let rules: readonly Rule[]
beforeAll(() => {
  const { Properties } = printStage('prod').resources.Resources.FilesBucket ?? {}
  rules = Properties?.LifecycleConfiguration.Rules
})

const expiryDays = (prefix: string) =>
  rules
    .filter(({ Prefix, Status }) => Prefix === prefix && Status === 'Enabled')
    .map((rule) => rule.ExpirationInDays)

/** The longest wait that a setting may have before each retry. */
const longestDelays = (): number[] => {
  const { schema } = settingsCatalog.webhooks.retryDelaysMs
  const most = Number((schema.element as z.ZodNumber).maxValue)
  const delays = Array.from({ length: 5 }, () => most)
  expect(schema.safeParse(delays).success).toBe(true)
  expect(schema.safeParse(delays.map((delay) => delay + 1)).success).toBe(false)
  return delays
}

/** How long a delivery lives that nobody ever takes, by the schedule that waits longest. */
const longestDelivery = async (): Promise<number> => {
  await using opened = openDeliveries({ delaysMs: longestDelays() })
  await opened.add({})
  let row = await opened.row()
  while (row?.dueAt !== undefined) {
    opened.clock.advance(Date.parse(row.dueAt) - opened.clock.now())
    await opened.tick()
    row = await opened.row()
  }
  return Number(row?.expiresAt) - Date.parse(String(row?.createdAt))
}

/** How long rows live at most, of each collection that expires and has what may lie beside its rows. */
const LIVES: Readonly<Record<string, () => number | Promise<number>>> = {
  [agentSessions.name]: () => KEPT_SESSIONS_MS,
  [toolCalls.name]: () => KEPT_CALLS_MS,
  [deliveryRows.name]: longestDelivery,
  [inboundEvents.name]: () => KEPT_MS,
}

describe('what lies beside rows that expire', () => {
  it('is of the collections that are looked at here, and of no others is anything removed by its age', () => {
    const expiring = collections.filter(
      ({ expires, detail = [], long = [] }) => expires !== undefined && detail.length + long.length > 0,
    )
    expect(Object.keys(LIVES).sort()).toEqual(expiring.map(({ name }) => name).sort())
    const prefixes = rules.flatMap(({ Prefix }) => (Prefix?.startsWith('rows') ? [Prefix] : []))
    expect(prefixes.sort()).toEqual(expiring.map(({ name }) => `rows/${name}/`).sort())
    // A rule without a prefix is one for everything.
    const general = rules.filter(({ Prefix }) => !Prefix)
    expect(general.flatMap(({ ExpirationInDays }) => ExpirationInDays ?? [])).toEqual([])
  })

  it.each(Object.entries(LIVES))(
    'is removed some days after the longest life of a row of %s',
    async (name, life) => {
      const [days = 0, ...others] = expiryDays(`rows/${name}/`)
      expect(others).toEqual([])
      expect(days * DAY_MS).toBeGreaterThanOrEqual((await life()) + MARGIN_MS)
    },
  )

  it.each([
    [deliveryRows.name, { ...sample, body: 'x'.repeat(40_000), attempts: [] }],
    [inboundEvents.name, { id: 'codehost-0', body: 'x'.repeat(40_000) }],
    [agentSessions.name, { id: 'sess_1', cancelRequestedAt: 'x'.repeat(40_000), expiresAt: 1 }],
    [toolCalls.name, { id: 'tca_1', result: 'x'.repeat(40_000), expiresAt: 1 }],
  ])('has the name that the rule for %s begins with', async (name, row) => {
    const blobs = createMemoryBlobs()
    const offload = createBlobOffload({
      blobs,
      newToken: () => 't',
      mostInside: undefined,
      mostCopied: undefined,
    })
    const of = collections.find((one) => one.name === name)
    if (of === undefined) throw new Error(`No collection ${name}`)
    const plan = tablePlan(of, (one) => one.name)
    await offload.putRow(plan, String((row as Record<string, unknown>)[of.key]), row)
    const { keys } = await blobs.list('', { limit: 10 })
    expect(keys).toEqual([expect.stringMatching(new RegExp(`^rows/${name}/`))])
  })
})
