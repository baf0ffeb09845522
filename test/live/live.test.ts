import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { entropy } from '../../lib/adapters/node/entropy.ts'
import type { LiveDraft } from '../../lib/core/collection.ts'
import type { Principal } from '../../lib/core/principal.ts'
import type { Reply } from '../../lib/http/route.ts'
import { liveHandlers } from '../../lib/live/handlers.ts'
import { coalesced, createProgressPublisher, createStreamPublisher } from '../../lib/live/publishing.ts'
import type { LiveEvent } from '../../lib/live/service.ts'
import { createStoredWatch, liveWatches } from '../../lib/live/watch.ts'
import { createFakeAgent, HOLD } from '../fakes/agent.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { createFakeLog } from '../fakes/log.ts'
import { ANN, BOB, type StartedDomains, startDomains, turns, until } from '../fakes/service.ts'
import { storeOpeners } from '../fakes/stores.ts'

const draft = (type: string, id: string, more: object = {}): LiveDraft => ({ type, data: { id, ...more } })

describe('what many commits publish', () => {
  it.each<[string, LiveDraft[], LiveDraft[]]>([
    [
      'rows of their own stay',
      [draft('task.created', 'a'), draft('task.updated', 'b')],
      [draft('task.created', 'a'), draft('task.updated', 'b')],
    ],
    [
      'of one row the last is left',
      [draft('task.updated', 'a', { n: 1 }), draft('task.updated', 'a', { n: 2 })],
      [draft('task.updated', 'a', { n: 2 })],
    ],
    [
      'a new row is created as it is now',
      [draft('task.created', 'a', { n: 1 }), draft('task.updated', 'a', { n: 2 })],
      [draft('task.created', 'a', { n: 2 })],
    ],
    [
      'a removed row is removed',
      [draft('dlq.created', 'a'), draft('dlq.removed', 'a')],
      [draft('dlq.removed', 'a')],
    ],
    [
      'kinds do not mix',
      [draft('task.updated', 'a'), draft('dlq.updated', 'a')],
      [draft('task.updated', 'a'), draft('dlq.updated', 'a')],
    ],
    [
      'users do not mix',
      [
        { ...draft('approval.updated', 'a'), audience: 'ann' },
        { ...draft('approval.updated', 'a'), audience: 'bob' },
      ],
      [
        { ...draft('approval.updated', 'a'), audience: 'ann' },
        { ...draft('approval.updated', 'a'), audience: 'bob' },
      ],
    ],
    [
      'the state of a task and its progress both stay',
      [draft('task.updated', 'a'), draft('progress.updated', 'a'), draft('progress.updated', 'a')],
      [draft('task.updated', 'a'), draft('progress.updated', 'a')],
    ],
    [
      'more than a page can patch is a reset',
      Array.from({ length: 201 }, (_, n) => draft('task.updated', `${n}`)),
      [{ type: 'reset', data: {} }],
    ],
    [
      'more than an append may have is a reset',
      Array.from({ length: 50 }, (_, n) => draft('task.updated', `${n}`, { title: 'x'.repeat(5_000) })),
      [{ type: 'reset', data: {} }],
    ],
  ])('%s', (_, given, left) => {
    expect(coalesced(given)).toEqual(left)
  })
})

describe.each(storeOpeners([liveWatches]))('the stored watch on %s', (_, open) => {
  it('is one for all processes, ends when it is not renewed, and says since when there was no gap', async () => {
    const clock = createFakeClock()
    const { store, close } = await open(clock)
    const ports = { store, clock, entropy }
    const watches = [createStoredWatch(ports), createStoredWatch(ports)] as const
    const [follower, publisher] = watches
    expect(await publisher.isWatched()).toBe(false)
    const since = clock.now()
    expect(await follower.extend()).toBe(since)
    expect(await publisher.isWatched()).toBe(true)
    clock.advance(29_999)
    expect(await Promise.all(watches.map((one) => one.extend()))).toEqual([since, since])
    clock.advance(30_000)
    expect(await publisher.isWatched()).toBe(false)
    expect(await follower.extend()).toBe(clock.now())
    expect(await publisher.isWatched()).toBe(true)
    await close()
  })
})

describe('the progress of a task', () => {
  it('is published with its first message, and then once a second while there are more', () => {
    const clock = createFakeClock()
    const published: [at: number, id: unknown][] = []
    const begun = clock.now()
    const publish = ([one]: readonly LiveDraft[]) =>
      published.push([clock.now() - begun, (one?.data as { id?: string } | undefined)?.id])
    const publishProgress = createProgressPublisher({ publish, clock })
    for (let tenths = 0; tenths < 15; tenths += 1) {
      publishProgress('a')
      if (tenths === 5) publishProgress('b')
      clock.advance(100)
    }
    clock.advance(5_000)
    publishProgress('a')
    expect(published).toEqual([
      [0, 'a'],
      [500, 'b'],
      [1_000, 'a'],
      [2_000, 'a'],
      [6_500, 'a'],
    ])
  })
})

describe('a stream function that cannot append live events', () => {
  it('fails no batch, and has readers read all anew once it can', async () => {
    const log = createFakeLog()
    const appended: (readonly LiveDraft[])[] = []
    let isDown = true
    const append = async (_stream: string, drafts: readonly LiveDraft[]) => {
      if (isDown) throw new Error('the table takes nothing now')
      appended.push(drafts)
      return []
    }
    const publish = createStreamPublisher({ isWatched: async () => true }, { feed: { append }, log })
    await publish([draft('task.created', 'a')])
    await publish([])
    isDown = false
    for (const id of ['b', 'c']) await publish([draft('task.updated', id)])
    expect(appended).toEqual([[{ type: 'reset', data: {} }], [draft('task.updated', 'c')]])
    expect(log.entries.map(({ level, message }) => [level, message])).toEqual(
      Array(2).fill(['warn', 'live events could not be published']),
    )
  })
})

describe('the live stream', () => {
  let domains: StartedDomains
  const readers: AbortController[] = []
  beforeEach(async () => {
    domains = await startDomains()
  })
  afterEach(async () => {
    for (const reader of readers.splice(0)) reader.abort()
    await domains[Symbol.asyncDispose]()
  })

  const follow = async (principal: Principal = ANN, after = '') => {
    const reader = new AbortController()
    readers.push(reader)
    const got: LiveEvent[] = []
    const events = await domains.live.follow(principal, after, reader.signal)
    const ended = (async () => {
      for await (const event of events) got.push(event)
    })()
    await turns(5)
    return { got, ended, leave: () => reader.abort(), types: () => got.map(({ type }) => type) }
  }
  const window = () => domains.pass(100)

  it('has a heartbeat after 15 s of silence, which is an event without an id', async () => {
    const reader = new AbortController()
    readers.push(reader)
    const asked = { principal: ANN, gone: () => reader.signal }
    const handlers = liveHandlers(domains)
    const reply = await handlers.followEvents({ query: {}, headers: {} } as never, asked as never)
    const { body } = reply as Reply<{ raw: AsyncIterable<string> }>
    const texts: string[] = []
    void (async () => {
      for await (const text of body.raw) texts.push(text)
    })()
    await turns(5)
    for (let seconds = 0; seconds < 15; seconds += 1) await domains.pass(1_000)
    expect(texts.map((text) => text.replace(/[\d.]+(?=}\n)/, '#'))).toEqual([
      expect.stringContaining('"type":"ready"'),
      'data: {"type":"heartbeat","data":{},"timestamp":#}\n\n',
    ])
  })

  it('tells what a task becomes, with what lists show, and that the queue has moved', async () => {
    const { got, types } = await follow()
    const { id } = await domains.run({ title: 'Watched' })
    await window()
    const last = () => got.findLast(({ type }) => type.startsWith('task.'))?.data
    await until(async () => {
      await window()
      return (last() as { status?: string })?.status === 'completed'
    })
    expect(types().slice(0, 2)).toEqual(['ready', 'task.created'])
    expect(types()).toContain('queue.updated')
    expect(last()).toMatchObject({ id, title: 'Watched', attempts: 1 })
    expect(last()).not.toHaveProperty('fence')
    expect(last()).not.toHaveProperty('result')
    await expect(domains.tasks.cancel(ANN, id)).rejects.toMatchObject({ code: 'task_state_conflict' })
    const before = got.length
    await window()
    expect(got).toHaveLength(before)
  })

  it('tells of progress once it can be read, and of a lease that is renewed nothing', async () => {
    const agent = createFakeAgent(HOLD)
    await domains[Symbol.asyncDispose]()
    domains = await startDomains({ adapters: [agent] })
    const { got } = await follow()
    const { id } = await domains.run()
    for (let windows = 0; windows < 3; windows += 1) await window()
    expect(got.at(-1)).toMatchObject({ data: { id: 'tasks' } })
    const before = got.length
    domains.active.beat()
    await turns(5)
    await window()
    expect(got.slice(before)).toEqual([])
    agent.runs[0]?.progress('half way')
    await turns(5)
    await window()
    expect(got.slice(before)).toMatchObject([{ type: 'progress.updated', data: { id } }])
    const { events } = await domains.tasks.events(id)
    expect(events.at(-1)).toMatchObject({ type: 'progress', message: 'half way' })
  })

  it('publishes nothing without readers', async () => {
    await domains.run()
    await window()
    expect(await domains.ports.feed.read('live')).toEqual([])
  })

  it('goes on after the last event that a reader had', async () => {
    const first = await follow()
    await domains.run({ title: 'One' })
    await window()
    await until(() => first.types().includes('task.created'))
    first.leave()
    await first.ended
    domains.clock.advance(10_000)
    await domains.run({ title: 'Two' })
    await window()
    const last = first.got.at(-1)?.id
    const second = await follow(ANN, last)
    await until(() => second.types().includes('task.created'))
    expect(second.got.map(({ data }) => (data as { title?: string }).title).filter(Boolean)).toEqual(['Two'])
    expect(second.types()).not.toContain('ready')
  })

  it.each([
    ['nobody watched for a while', 31_000, undefined],
    ['it is too old', 301_000, undefined],
    ['it is none of ours', 0, 'nonsense'],
    ['it is of another kind', 0, 'task_01J00000000000000000000000'],
  ])('says reset to a reader that comes with an id when %s', async (_, awayMs, id) => {
    const first = await follow()
    first.leave()
    await first.ended
    domains.clock.advance(awayMs)
    const second = await follow(ANN, id ?? first.got[0]?.id)
    expect(second.types()).toEqual(['reset'])
    const third = await follow(ANN, second.got[0]?.id)
    expect(third.types()).toEqual([])
  })

  it('tells a user alone of what is theirs alone', async () => {
    const [ann, bob] = [await follow(ANN), await follow(BOB)]
    await domains.run()
    await domains.notifications.list(ANN, { limit: 1 } as never)
    await domains.ports.feed.append('live', [
      { type: 'approval.created', data: { id: 'apr_1' }, audience: ANN.userId },
      { type: 'task.updated', data: { id: 'task_1' } },
    ])
    await until(() => bob.types().includes('task.updated'))
    expect(ann.types()).toContain('approval.created')
    expect(bob.types()).not.toContain('approval.created')
  })

  it('goes on for as long as it has a reader, ends after ten minutes, and then lets the mark go', async () => {
    const { ended } = await follow()
    await domains.pass(599_000, 5_000)
    expect(domains.ports.liveWatch.isWatched()).resolves.toBe(true)
    await domains.pass(2_000)
    await ended
    await domains.pass(31_000)
    expect(await domains.ports.liveWatch.isWatched()).toBe(false)
  })
})
