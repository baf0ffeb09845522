import { describe, expect, it } from '@jest/globals'
import { openSqliteStore } from '../../lib/adapters/sqlite/store.ts'
import type { Collection } from '../../lib/core/collection.ts'
import type { Store } from '../../lib/ports/store.ts'
import type { Task } from '../../lib/tasks/schema.ts'
import type { WebhookTasks } from '../../lib/webhooks/needs.ts'
import { inboundClaims, inboundEvents } from '../../lib/webhooks/rows.ts'
import { createInbound } from '../../lib/webhooks/service.ts'
import { seededRandom, upTo } from '../crash/random.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { createFakeIds } from '../fakes/ids.ts'
import { createFakeLog } from '../fakes/log.ts'
import { LABELS } from './asked.ts'
import * as github from './payloads/codehost.ts'
import { headersOf, SECRETS } from './signed.ts'

const collections = [inboundEvents, inboundClaims] as unknown as readonly Collection[]
const ROUNDS = Number(process.env.WEBHOOK_ROUNDS ?? 60)
const DEATHS = 0.04

/** What becomes of one issue whose events come at once, each step of them when chance has it. */
const play = async (seed: number) => {
  const random = seededRandom(seed)
  const clock = createFakeClock()
  const store = openSqliteStore({ file: ':memory:', collections, clock })
  const mayDie = seed % 2 === 0
  let isOver = false
  const step = async () => {
    for (let turns = upTo(3, random); turns > 0; turns--)
      await new Promise((resolve) => setImmediate(resolve))
    if (mayDie && !isOver && random() < DEATHS) throw new Error('the process died')
  }
  const live = new Set<string>()
  const made: string[] = []
  const faults: string[] = []
  const tasks: WebhookTasks = {
    prepare: (_principal, body, id) => async () => {
      await step()
      if (!made.includes(id)) {
        if (live.size > 0) faults.push(`${id} was made while ${[...live]} went on`)
        made.push(id)
        live.add(id)
      }
      await step()
      return { ...body, id } as Task
    },
    find: async (id) => {
      await step()
      return made.includes(id) ? ({ id } as Task) : undefined
    },
    isOver: async (id) => {
      await step()
      return made.includes(id) ? !live.has(id) : undefined
    },
    // Nobody retries here, so that what has gone on beside another is found out.
    liveLike: async () => undefined,
  }
  const inSteps: Store = {
    ...store,
    get: async (...given) => {
      await step()
      return store.get(...given)
    },
    commit: async (...given) => {
      await step()
      const outcome = await store.commit(...given)
      await step()
      return outcome
    },
  }
  const log = createFakeLog()
  const secrets = Object.fromEntries(
    Object.entries(SECRETS).map(([sender, webhookSecret]) => [sender, { webhookSecret }]),
  ) as Record<keyof typeof SECRETS, { webhookSecret: string }>
  const inbound = createInbound({
    ...{ store: inSteps, tasks, clock, log, ids: createFakeIds(), labels: LABELS, secrets },
  })

  /** Which task each event was said to have come to, by its body. */
  const answers = new Map<string, Set<string>>()
  const deliver = async (version: number, delivery: string) => {
    const body = JSON.stringify(github.issueLabeled('ai-task', { updated_at: version }))
    const headers: Record<string, string> = headersOf({ sender: 'codehost', event: 'issues', body, delivery })
    const incoming = { header: (name: string) => headers[name], bytes: () => Buffer.from(body) }
    const { task } = await inbound.receive('codehost', incoming)
    answers.set(`${version}`, (answers.get(`${version}`) ?? new Set()).add(String(task?.id)))
  }
  const endOne = async () => {
    for (let turns = upTo(40, random); turns > 0; turns--)
      await new Promise((resolve) => setImmediate(resolve))
    const [first] = live
    if (first !== undefined) live.delete(first)
  }
  const moves = Array.from({ length: 14 }, () => {
    const version = upTo(5, random)
    // Some ids are used for two events.
    return random() < 0.4
      ? endOne()
      : deliver(version, `d-${upTo(1, random) === 0 ? version : upTo(9, random)}`)
  })
  await Promise.allSettled(moves)
  isOver = true
  clock.advance(20_000)
  const before = log.entries.length
  await inbound.repair()
  const open = await store.page(inboundEvents, { index: 'open', order: 'asc', limit: 10 })
  await store.close()
  return { answers, made, faults, open: open.rows.length, logged: log.entries.slice(before) }
}

describe('events of one issue that come at once, while its tasks end and processes die', () => {
  it('come to one task each, never two of which go on, and none is lost', async () => {
    let [made, answered] = [0, 0]
    for (let seed = 1; seed <= ROUNDS; seed++) {
      const played = await play(seed)
      expect({
        seed,
        ...played,
        answers: [...played.answers].filter(([, ids]) => ids.size !== 1),
      }).toMatchObject({
        ...{ seed, answers: [], faults: [], open: 0, logged: [] },
      })
      expect(new Set(played.made).size).toBe(played.made.length)
      for (const [id] of [...played.answers.values()].map((ids) => [...ids]))
        expect(played.made).toContain(id)
      made += played.made.length
      answered += played.answers.size
    }
    // Chance had enough of everything.
    expect(made).toBeGreaterThan(ROUNDS / 2)
    expect(answered).toBeGreaterThan(2 * ROUNDS)
  })
})
