import { describe, expect, it } from '@jest/globals'
import { openSqliteStore } from '../../lib/adapters/sqlite/store.ts'
import { type Collection, collection } from '../../lib/core/collection.ts'
import type { Store } from '../../lib/ports/store.ts'
import type { Task } from '../../lib/tasks/schema.ts'
import type { WebhookTasks } from '../../lib/webhooks/deduplicate.ts'
import { inboundClaims, inboundEvents } from '../../lib/webhooks/rows.ts'
import { createInbound } from '../../lib/webhooks/service.ts'
import { seededRandom, upTo } from '../crash/random.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { createFakeIds } from '../fakes/ids.ts'
import { inPieces } from '../fakes/pieces.ts'
import { LABELS } from './interpreted.ts'
import * as github from './payloads/codehost.ts'
import { SECRETS, signedHeaders } from './signed.ts'

/** Tasks as far as the webhooks see them. */
const fakeTasks = collection<{ id: string; completedAt?: string }>({ name: 'tasks', key: 'id', indexes: {} })
const collections = [inboundEvents, inboundClaims, fakeTasks] as unknown as readonly Collection[]
const ROUNDS = Number(process.env.WEBHOOK_ROUNDS ?? 60)
const DEATHS = 0.04

/** One issue whose events come at once, while its tasks end; a random pause, and at times a death, at each step. */
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
  const made: string[] = []
  const unfinished = new Set<string>()
  const faults: string[] = []
  const tasks: WebhookTasks = {
    draft: async (_principal, body, { id = '' }) => ({
      task: { ...body, id } as unknown as Task,
      write: { insert: fakeTasks, row: { id } },
      rows: [],
    }),
    find: async (id) => {
      await step()
      return (await store.get(fakeTasks, id)) as Task | undefined
    },
    // There are no retries here, so that a second unfinished task is a fault.
    unfinishedLike: async () => undefined,
    cancelWaiting: async () => undefined,
    commit: (...given) => inSteps.commit(...given),
  }
  const inSteps: Store = {
    ...store,
    get: async (...given) => {
      await step()
      return store.get(...given)
    },
    commit: async (head, rows = [], detail) => {
      await step()
      const outcome = await store.commit(head, rows, detail)
      const task = rows.find((row) => 'insert' in row && row.insert.name === fakeTasks.name)
      if (outcome.applied && task && 'insert' in task) {
        const { id } = task.row as { id: string }
        if (unfinished.size > 0) faults.push(`${id} was made while ${[...unfinished]} went on`)
        made.push(id)
        unfinished.add(id)
      }
      await step()
      return outcome
    },
  }
  const secrets = Object.fromEntries(
    Object.entries(SECRETS).map(([sender, webhookSecret]) => [sender, { webhookSecret }]),
  ) as Record<keyof typeof SECRETS, { webhookSecret: string }>
  const inbound = createInbound({
    store: inSteps,
    tasks,
    clock,
    ids: createFakeIds(),
    labels: LABELS,
    secrets,
    cancelsClosed: () => true,
    makeReportWrites: () => [],
  })

  /** The tasks that each event was answered with, by its body. */
  const answers = new Map<string, Set<string>>()
  const sent: [version: number, delivery: string][] = []
  const deliver = async (version: number, delivery: string) => {
    sent.push([version, delivery])
    const body = JSON.stringify(github.issueLabeled('ai-task', { updated_at: version }))
    const headers: Record<string, string> = signedHeaders({
      sender: 'codehost',
      event: 'issues',
      body,
      delivery,
    })
    const incoming = { header: (name: string) => headers[name], pieces: () => inPieces(body) }
    const { task } = await inbound.receive('codehost', incoming)
    answers.set(`${version}`, (answers.get(`${version}`) ?? new Set()).add(String(task?.id)))
  }
  const endOne = async () => {
    for (let turns = upTo(40, random); turns > 0; turns--)
      await new Promise((resolve) => setImmediate(resolve))
    const [first] = unfinished
    if (first === undefined) return
    // It is over for those who read the row, from then on another may be made.
    unfinished.delete(first)
    await store.commit({ update: fakeTasks, key: first, set: { completedAt: 'now' } })
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
  // The senders deliver again what was not answered.
  for (const [version, delivery] of [...sent])
    if (!answers.has(`${version}`)) await deliver(version, delivery)
  await store.close()
  return { answers, made, faults, events: new Set(sent.map(([version]) => version)).size }
}

describe('events of one issue that come at once, while its tasks end and processes die', () => {
  it('come to one task each, never two of which go on, and none is lost', async () => {
    let [made, answered] = [0, 0]
    for (let seed = 1; seed <= ROUNDS; seed++) {
      const played = await play(seed)
      const answers = [...played.answers.values()]
      expect({ seed, faults: played.faults, ambiguous: answers.filter(({ size }) => size !== 1) }).toEqual({
        seed,
        faults: [],
        ambiguous: [],
      })
      expect(answers).toHaveLength(played.events)
      expect(new Set(played.made).size).toBe(played.made.length)
      for (const [id] of answers.map((ids) => [...ids])) expect(played.made).toContain(id)
      made += played.made.length
      answered += played.answers.size
    }
    // Chance had enough of everything.
    expect(made).toBeGreaterThan(ROUNDS / 2)
    expect(answered).toBeGreaterThan(2 * ROUNDS)
  })
})
