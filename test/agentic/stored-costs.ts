import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLoopEvents } from '../../lib/agentic/loop-events.ts'
import type { OpenSession } from '../../lib/agentic/session-runs.ts'
import { createAgentSessions } from '../../lib/agentic/sessions.ts'
import { createMasker } from '../../lib/core/masker.ts'
import type { Principal } from '../../lib/core/principal.ts'
import { createFeed } from '../../lib/feed/feed.ts'
import type { Store } from '../../lib/ports/store.ts'
import type { Capacity } from '../adapters/dynamodb/capacity-meter.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { createFakeIds } from '../fakes/ids.ts'
import { createFakeLog } from '../fakes/log.ts'
import { watchStore } from '../fakes/watched-store.ts'

const ADA = { userId: 'user_ada', role: 'user' } as unknown as Principal
const ABOUT = { userId: ADA.userId, conversationId: 'conv_1', provider: 'demo', model: 'scripted' }
const DELTAS_A_SECOND = 50
const TEXT_OF_STEP = 100
/** What models read and write: prose of this repository. */
const [said, read] = ['docs/guide/tools-and-approvals.md', 'docs/guide/chat.md'].map((path) =>
  readFileSync(join(import.meta.dirname, '../..', path), 'utf8'),
) as [string, string]
/** Of the file that a step reads. */
export const READ_CHARACTERS = 4_000
/** Of one step that somebody follows from another process. */
export const STREAMED_SECONDS = 20

/**
 * What a session of a conversation costs in storage, by the meter of its client: its beginning and end, a step that reads a
 * file of 4 kB, and a step of 20 s, alone and followed from another process. The clock is a fake one.
 */
export const costsOfSession = async (given: Store, meter: () => Capacity) => {
  // Storage has a clock of its own, by which rows expire.
  const clock = createFakeClock(Date.now())
  const ids = createFakeIds(clock)
  const { store, quiet } = watchStore(given)
  const process = () =>
    createAgentSessions({
      store,
      feed: createFeed({ store, clock, ids }),
      clock,
      ids,
      log: createFakeLog(),
      masker: createMasker([]),
      timeoutMs: 180_000,
      orphanMs: 60_000,
      findTask: async () => undefined,
      checkOwnConversation: async () => undefined,
      cancelTask: async () => undefined,
    })
  const [here, elsewhere] = [process(), process()]
  const consumedCapacity = async (work: () => unknown): Promise<Capacity> => {
    await quiet()
    meter()
    await work()
    await quiet()
    return meter()
  }
  const pass = async (seconds: number, each: () => void) => {
    for (let second = 0; second < seconds; second += 1) {
      each()
      clock.advance(1_000)
      await quiet()
    }
  }
  const step = async ({ emit }: OpenSession, number: number, seconds: number) => {
    const tell = createLoopEvents({ emit, clock, ids, showThinking: true })
    let at = 0
    const say = (deltas: number) => {
      for (let n = 0; n < deltas; n += 1, at += 4)
        tell({ type: 'text', step: number, text: said.slice(at % said.length).slice(0, 4) })
    }
    const call = { id: `call_${number}`, name: 'read_file', arguments: { path: 'docs/import.md' } }
    const about = { step: number, call, title: 'Read docs/import.md' }
    const outcome = {
      content: read.slice(0, READ_CHARACTERS),
      failed: false,
      decision: 'allowed',
      durationMs: 3,
    } as const
    tell({ type: 'step:start', step: number, maxSteps: 25, usedTokens: 0 })
    if (seconds === 0) say(TEXT_OF_STEP)
    await pass(seconds, () => say(DELTAS_A_SECOND))
    tell({ type: 'tool:call', ...about })
    tell({ type: 'tool:result', ...about, outcome })
    tell({ type: 'step:complete', step: number, usedTokens: 500, toolCalls: 1, finishReason: 'tool-calls' })
  }

  let session: OpenSession | undefined
  const opened = await consumedCapacity(async () => {
    session = await here.open(ABOUT)
  })
  if (session === undefined) throw new Error('no session was opened')
  const running = session
  const short = await consumedCapacity(() => step(running, 1, 0))
  const alone = await consumedCapacity(() => step(running, 2, STREAMED_SECONDS))
  const reader = new AbortController()
  const followed: string[] = []
  const follow = async () => {
    for await (const batch of await elsewhere.follow(ADA, running.id, '', reader.signal))
      followed.push(...batch.map(({ type }) => type))
  }
  const following = follow()
  const seen = await consumedCapacity(() => step(running, 3, STREAMED_SECONDS))
  const ended = await consumedCapacity(() => running.end('completed'))
  reader.abort()
  await following
  return { opened, short, alone, seen, ended, followed }
}
