import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals'
import { createIds } from '../../lib/adapters/node/ids.ts'
import type { Collection } from '../../lib/core/collection.ts'
import type { Feed, FeedEntry, FeedPlace } from '../../lib/feed/feed.ts'
import { createFeed } from '../../lib/feed/feed.ts'
import { feedEntries } from '../../lib/feed/rows.ts'
import type { Clock } from '../../lib/ports/clock.ts'
import type { Store } from '../../lib/ports/store.ts'
import { seededRandom, upTo } from '../crash/random.ts'
import { createFakeClock, type FakeClock } from '../fakes/clock.ts'
import { until } from '../fakes/until.ts'

/** `process` opens the store as another process on the same data would; a store that has one process answers the same. */
export type OpenedFeedStore = { process: () => Store; close: () => Promise<void> }
export type OpenFeedStore = (needs: {
  collections: readonly Collection[]
  clock: Clock
}) => Promise<OpenedFeedStore>

const PATIENCE_MS = 60_000

/** Resolves when followers have begun the reads that they were woken for, and have what these found. */
const settled = async ({ watched }: Process) => {
  await new Promise((resolve) => setTimeout(resolve, 10))
  await until(watched.isQuiet)
}

type Held = { release: () => void; released: Promise<void> }

/** A store that counts its reads, and whose reads and commits can be held back. */
const watchStore = (store: Store) => {
  let commits = 0
  let pages = 0
  let rows = 0
  let underWay = 0
  let commitsHeld: Held | undefined
  let readsHeld: Held | undefined
  const held = (): Held => {
    const { promise, resolve } = Promise.withResolvers<void>()
    return { release: resolve, released: promise }
  }
  const watched: Pick<Store, 'commit' | 'get' | 'page'> = {
    get: store.get,
    async commit(head) {
      commits += 1
      await commitsHeld?.released
      return store.commit(head)
    },
    async page(of, query) {
      pages += 1
      underWay += 1
      try {
        const page = await store.page(of, query)
        rows += page.rows.length
        await readsHeld?.released
        return page
      } finally {
        underWay -= 1
      }
    },
  }
  return {
    store: watched,
    commits: () => commits,
    pages: () => pages,
    rows: () => rows,
    isQuiet: () => underWay === 0,
    /** Commits from now on become visible when the returned function is called. */
    holdCommits() {
      const it = held()
      commitsHeld = it
      return () => {
        commitsHeld = undefined
        it.release()
      }
    },
    /** Reads from now on answer when the returned function is called, with what there was. */
    holdReads() {
      const it = held()
      readsHeld = it
      return () => {
        readsHeld = undefined
        it.release()
      }
    },
  }
}

type Process = Feed & { clock: FakeClock; watched: ReturnType<typeof watchStore> }

const entryTexts = (entries: readonly FeedEntry[]) =>
  entries.map(({ data }) => (data as { text?: string }).text ?? '')
const entryIds = (entries: readonly FeedEntry[]) => entries.map(({ id }) => id)
const drafts = (...texts: readonly string[]) => texts.map((text) => ({ type: 'said', data: { text } }))
const numbered = (prefix: string, count: number) => Array.from({ length: count }, (_, n) => `${prefix}${n}`)

/** The feed on a store. Two feeds are two processes; each has a clock of its own. */
export const feedSuite = (name: string, open: OpenFeedStore): void => {
  describe(`the feed contract on ${name}`, () => {
    const storeClock = createFakeClock()
    let opened: OpenedFeedStore | undefined
    let streams = 0
    const newStream = () => `stream ${++streams}`
    const stops: (() => Promise<void>)[] = []
    beforeAll(async () => {
      opened = await open({ collections: [feedEntries as unknown as Collection], clock: storeClock })
    })
    afterEach(async () => {
      for (const stop of stops.splice(0)) await stop()
    })
    afterAll(() => opened?.close())

    /** A process whose clock differs from that of others by so much. */
    const start = (skewMs = 0): Process => {
      if (opened === undefined) throw new Error('the store did not open')
      const clock = createFakeClock(storeClock.now() + skewMs)
      const watched = watchStore(opened.process())
      return { ...createFeed({ store: watched.store, clock, ids: createIds({ clock }) }), clock, watched }
    }
    /** Follows until the end of the test; resolves when everything that is there has come. */
    const following = async (feed: Process, stream: string, place: FeedPlace = {}) => {
      const aborter = new AbortController()
      const got: FeedEntry[] = []
      const before = feed.watched.pages()
      const ended = (async () => {
        for await (const entry of feed.follow(stream, place, aborter.signal)) got.push(entry)
      })()
      const stop = () => {
        aborter.abort()
        return ended
      }
      stops.push(stop)
      await until(() => feed.watched.pages() > before && feed.watched.isQuiet())
      return { got, stop }
    }
    /** Lets time pass for processes, a step at a time, until the condition holds. */
    const passUntil = async (processes: readonly Process[], holds: () => boolean) => {
      const giveUpAt = performance.now() + PATIENCE_MS
      while (!holds() && performance.now() < giveUpAt) {
        for (const { clock } of processes) clock.advance(100)
        await new Promise((resolve) => setTimeout(resolve, 2))
      }
      expect(holds()).toBe(true)
    }

    describe('append and read', () => {
      it('answer the entries as they will be read, in their order', async () => {
        const feed = start()
        const stream = newStream()
        const first = await feed.append(stream, [
          { type: 'said', data: { text: 'é"\n\u0000😀', deep: { '': [1.5, null, true] } } },
          { type: 'done' },
        ])
        feed.clock.advance(5)
        const second = await feed.append(stream, drafts('later'))
        expect(first.map(({ type, data, at }) => [type, data, at])).toEqual([
          ['said', { text: 'é"\n\u0000😀', deep: { '': [1.5, null, true] } }, '2026-01-01T12:00:00.000Z'],
          ['done', {}, '2026-01-01T12:00:00.000Z'],
        ])
        expect(await feed.read(stream)).toEqual([...first, ...second])
        expect(await start().read(stream)).toEqual([...first, ...second])
      })

      it('know which ids of single entries are stored', async () => {
        const feed = start()
        const [stream, other] = [newStream(), newStream()]
        const [{ id = '' } = {}] = await feed.append(stream, drafts('one'))
        expect(await Promise.all([feed.has(stream, id), start().has(stream, id)])).toEqual([true, true])
        expect(await Promise.all([feed.has(other, id), feed.has(stream, `${id}0`)])).toEqual([false, false])
      })

      it('go on after any id: of an entry within an append, of none, of one that is not there', async () => {
        const feed = start()
        const stream = newStream()
        const all = [
          ...(await feed.append(stream, drafts('a', 'b', 'c'))),
          ...(await feed.append(stream, drafts('d'))),
          ...(await feed.append(stream, drafts('e', 'f'))),
        ]
        for (const [at, { id }] of all.entries())
          expect(await feed.read(stream, { after: id })).toEqual(all.slice(at + 1))
        expect(await feed.read(stream, { after: '' })).toEqual(all)
        expect(await feed.read(stream, { after: 'evt_' })).toEqual(all)
        expect(await feed.read(stream, { after: 'x' })).toEqual([])
        expect(await feed.read(stream, { after: 'evt_'.padEnd(5_000, '0') })).toEqual(all)
        expect(await feed.read(stream, { after: all[1]?.id ?? '', limit: 3 })).toEqual(all.slice(2, 5))
      })

      it('keep streams apart; one without appends is empty', async () => {
        const feed = start()
        const [one, other] = [newStream(), newStream()]
        await Promise.all([feed.append(one, drafts('one')), feed.append(other, drafts('other'))])
        expect(await feed.append(one, [])).toEqual([])
        expect(entryTexts(await feed.read(one))).toEqual(['one'])
        expect(entryTexts(await feed.read(other))).toEqual(['other'])
        expect(await feed.read(newStream())).toEqual([])
      })

      it('show a reader what is for everybody and for that reader', async () => {
        const feed = start()
        const stream = newStream()
        await feed.append(stream, [
          { type: 'said', data: { text: 'all' } },
          { type: 'said', data: { text: 'ann' }, audience: 'ann' },
          { type: 'said', data: { text: 'bob' }, audience: 'bob' },
        ])
        expect(entryTexts(await feed.read(stream, { reader: 'ann' }))).toEqual(['all', 'ann'])
        expect(entryTexts(await feed.read(stream, { reader: 'eve' }))).toEqual(['all'])
        expect(entryTexts(await feed.read(stream, { reader: 'bob', limit: 2 }))).toEqual(['all', 'bob'])
        expect(entryTexts(await feed.read(stream))).toEqual(['all', 'ann', 'bob'])
        expect(Object.keys((await feed.read(stream))[1] ?? {})).toEqual(['id', 'type', 'at', 'data'])
      })

      it('find the newest entry with one row, however many there are', async () => {
        const feed = start()
        const stream = newStream()
        expect(await feed.last(stream)).toBeUndefined()
        for (const n of [1, 2, 3, 4, 5]) await feed.append(stream, drafts(`first of ${n}`, `last of ${n}`))
        const [all, before] = [await feed.read(stream), feed.watched.rows()]
        expect(await feed.last(stream)).toEqual(all.at(-1))
        expect(feed.watched.rows() - before).toBe(1)
      })

      it('find all of 150 appends, with and without a limit', async () => {
        const feed = start()
        const stream = newStream()
        const texts = numbered('t', 150)
        await Promise.all(texts.map((text) => feed.append(stream, drafts(text))))
        expect(entryTexts(await feed.read(stream))).toEqual(texts)
        expect(entryTexts(await feed.read(stream, { limit: 149 }))).toEqual(texts.slice(0, 149))
      })

      it('are undone by a removal, so many appends at a time, the oldest first', async () => {
        const feed = start()
        const [stream, other] = [newStream(), newStream()]
        for (const text of numbered('t', 70)) await feed.append(stream, drafts(text))
        await feed.append(other, drafts('stays'))
        expect(await feed.remove(stream, 68)).toBe(68)
        expect(entryTexts(await feed.read(stream))).toEqual(numbered('t', 70).slice(68))
        expect([await feed.remove(stream, 68), await feed.remove(stream, 68)]).toEqual([2, 0])
        expect(entryTexts(await feed.read(stream))).toEqual([])
        expect(entryTexts(await feed.read(other))).toEqual(['stays'])
      })

      it('keep each append of two processes at the same moment together', async () => {
        const stream = newStream()
        const [one, other] = [start(), start()]
        const words = (who: string, n: number) => numbered(`${who}${n}.`, 3)
        await Promise.all(
          [0, 1, 2, 3, 4].flatMap((n) => [
            one.append(stream, drafts(...words('one', n))),
            other.append(stream, drafts(...words('other', n))),
          ]),
        )
        const all = await one.read(stream)
        expect(entryIds(all)).toEqual(entryIds(all).toSorted())
        const found = entryTexts(all)
        for (const who of ['one', 'other']) {
          expect(found.filter((text) => text.startsWith(`${who}`))).toEqual(
            [0, 1, 2, 3, 4].flatMap((n) => words(who, n)),
          )
          for (const n of [0, 1, 2, 3, 4]) {
            const at = found.indexOf(`${who}${n}.0`)
            expect(found.slice(at, at + 3)).toEqual(words(who, n))
          }
        }
        for (const [at, { id }] of all.entries())
          expect(await one.read(stream, { after: id })).toEqual(all.slice(at + 1))
      })

      it('make appends of one process visible in their order', async () => {
        const feed = start()
        const stream = newStream()
        const show = feed.watched.holdCommits()
        const both = [feed.append(stream, drafts('a')), feed.append(stream, drafts('b'))]
        await settled(feed)
        expect(feed.watched.commits()).toBe(1)
        show()
        await Promise.all(both)
        expect(entryTexts(await feed.read(stream))).toEqual(['a', 'b'])
      })

      it('add nothing when an append is repeated with its id', async () => {
        const feed = start()
        const stream = newStream()
        const id = createIds({ clock: feed.clock }).next('evt')
        const first = await feed.append(stream, drafts('a', 'b'), { id })
        feed.clock.advance(1_000)
        expect(await feed.append(stream, drafts('a', 'b'), { id })).toEqual(first)
        expect(first[0]?.id).toBe(id)
        expect(await feed.read(stream)).toEqual(first)
        await expect(feed.append(stream, drafts('c'), { id: 'task_1' })).rejects.toThrow(TypeError)
      })

      it('go on after a number, where the writer numbers its entries, and read no row below it', async () => {
        const feed = start()
        const stream = newStream()
        const numbers = (from: number, ...texts: readonly string[]) =>
          drafts(...texts).map((draft, at) => ({
            ...draft,
            id: `0001-${String(from + at).padStart(7, '0')}`,
          }))
        const all: FeedEntry[] = []
        for (let n = 0; n < 100; n += 1) {
          feed.clock.advance(1)
          all.push(...(await feed.append(stream, numbers(2 * n, `a${n}`, `b${n}`))))
        }
        expect(all[3]).toMatchObject({ id: '0001-0000003', type: 'said', data: { text: 'b1' } })
        expect(await feed.read(stream)).toEqual(all)
        for (const [after, rows] of [
          ['0001-0000195', 2],
          ['0001-0000196', 2],
          ['0001-0000199', 0],
          ['0002-0000001', 0],
        ] as const) {
          const before = feed.watched.rows()
          const found = await start().read(stream, { after })
          expect([after, found]).toEqual([after, all.filter(({ id }) => id > after)])
          await feed.read(stream, { after })
          expect([after, feed.watched.rows() - before]).toEqual([after, rows])
          const { got } = await following(feed, stream, { after })
          expect([after, got]).toEqual([after, found])
        }
        expect(await feed.last(stream)).toEqual(all.at(-1))
        // One whose outcome was unknown is repeated.
        await feed.append(stream, numbers(198, 'a99', 'b99'))
        expect(await feed.read(stream)).toEqual(all)
        const mixed = [...numbers(200, 'a'), ...drafts('b')]
        await expect(feed.append(stream, mixed)).rejects.toThrow(TypeError)
        await expect(feed.append(stream, [{ type: 'said', id: 'evt_1' }])).rejects.toThrow(TypeError)
      })

      it('take 1,000 entries and no more, 256 kB and no more', async () => {
        const feed = start()
        const stream = newStream()
        await feed.append(stream, drafts(...numbered('n', 1_000)))
        expect(entryTexts(await feed.read(stream))).toEqual(numbered('n', 1_000))
        const tooLarge = { kind: 'too_large', code: 'feed_batch_too_large' }
        await expect(feed.append(stream, drafts(...numbered('n', 1_001)))).rejects.toMatchObject(tooLarge)
        await expect(feed.append(stream, drafts('é'.repeat(131_072)))).rejects.toMatchObject(tooLarge)
        const [last] = await feed.append(stream, drafts('é'.repeat(130_000)))
        expect((await feed.read(stream)).at(-1)).toEqual(last)
      })

      it('take a fraction of their length in storage, and come back to the character', async () => {
        const feed = start()
        const stream = newStream()
        const [long, wild] = [
          'The same line again.\n'.repeat(1_000),
          '\u0000\ud800 é 漢 🦄 \u2028"\\'.repeat(100),
        ]
        const noise = seededRandom(7)
        const dense = Array.from({ length: 1_000 }, () => String.fromCharCode(33 + upTo(90, noise))).join('')
        for (const text of [long, wild, dense]) await feed.append(stream, [...drafts(text, text)])
        expect(entryTexts(await feed.read(stream))).toEqual([long, long, wild, wild, dense, dense])
        const { rows } = await feed.watched.store.page(feedEntries, {
          index: 'ofStream',
          is: stream,
          order: 'asc',
          limit: 3,
        })
        expect(JSON.stringify(rows[0]).length).toBeLessThan(long.length / 10)
      })

      it('forget entries that have expired', async () => {
        const feed = start()
        const stream = newStream()
        await feed.append(stream, drafts('short'), { ttlMs: 60_000 })
        await feed.append(stream, drafts('for ever'))
        expect(entryTexts(await feed.read(stream))).toEqual(['short', 'for ever'])
        const now = storeClock.now()
        try {
          storeClock.setWall(now + 60_001)
          expect(entryTexts(await feed.read(stream))).toEqual(['for ever'])
        } finally {
          storeClock.setWall(now)
        }
      })
    })

    describe('follow', () => {
      it('gives what is there, then at once what this process appends', async () => {
        const feed = start()
        const stream = newStream()
        const [first] = await feed.append(stream, drafts('a', 'b'))
        const whole = await following(feed, stream)
        const rest = await following(feed, stream, { after: first?.id ?? '', reader: 'ann' })
        expect(entryTexts(whole.got)).toEqual(['a', 'b'])
        await feed.append(stream, [
          { type: 'said', data: { text: 'c' } },
          { type: 'said', data: { text: 'd' }, audience: 'bob' },
        ])
        await feed.append(stream, drafts('e'))
        await until(() => whole.got.length === 5 && rest.got.length === 3)
        expect(whole.got).toEqual(await feed.read(stream))
        expect(entryTexts(rest.got)).toEqual(['b', 'c', 'e'])
      })

      it('gives what another process appends when it polls, four times a second', async () => {
        const [feed, other] = [start(), start()]
        const stream = newStream()
        const { got } = await following(feed, stream)
        await other.append(stream, drafts('a'))
        feed.clock.advance(249)
        await settled(feed)
        expect(got).toEqual([])
        feed.clock.advance(1)
        await until(() => got.length === 1)
        feed.clock.advance(600_000)
        await settled(feed)
        other.clock.advance(600_000)
        await other.append(stream, drafts('b'))
        const before = feed.watched.pages()
        feed.clock.advance(250)
        await until(() => got.length === 2)
        expect(feed.watched.pages()).toBeLessThanOrEqual(before + 2)
        expect(entryTexts(got)).toEqual(['a', 'b'])
      })

      it('gives an entry that becomes visible below its place, once', async () => {
        const [feed, other] = [start(), start()]
        const stream = newStream()
        const { got } = await following(feed, stream)
        const show = other.watched.holdCommits()
        const late = other.append(stream, drafts('late 1', 'late 2'))
        feed.clock.advance(3)
        await feed.append(stream, drafts('early'))
        await until(() => got.length === 1)
        feed.clock.advance(4_000)
        await settled(feed)
        show()
        const [first] = await late
        expect((first?.id ?? '') < (got[0]?.id ?? '')).toBe(true)
        await feed.append(stream, drafts('more'))
        await until(() => got.length >= 2)
        feed.clock.advance(1_750)
        await until(() => got.length >= 4)
        for (let polls = 0; polls < 12; polls += 1) {
          feed.clock.advance(1_750)
          await settled(feed)
        }
        expect(entryTexts(got)).toEqual(['early', 'more', 'late 1', 'late 2'])
      })

      it('gives each entry that another process has numbered once, also long after the first', async () => {
        const [feed, other] = [start(), start()]
        const stream = newStream()
        const { got } = await following(feed, stream, { after: '0001-0000001' })
        for (let n = 0; n < 6; n += 1) {
          await other.append(stream, [{ type: 'said', data: { text: `${n}` }, id: `0001-000000${n}` }])
          await passUntil([feed, other], () => got.length >= n - 1)
          for (const { clock } of [feed, other]) clock.advance(20_000)
        }
        await settled(feed)
        expect(entryTexts(got)).toEqual(['2', '3', '4', '5'])
      })

      it('gives every entry of a process whose clock is two seconds behind', async () => {
        const [feed, other] = [start(), start(-2_000)]
        const stream = newStream()
        const { got } = await following(feed, stream)
        for (let n = 0; n < 5; n += 1) {
          await feed.append(stream, drafts(`here ${n}`))
          await other.append(stream, drafts(`there ${n}`))
          for (const { clock } of [feed, other]) clock.advance(300)
        }
        await passUntil([feed, other], () => got.length >= 10)
        expect(entryTexts(got).filter((text) => text.startsWith('here'))).toEqual(numbered('here ', 5))
        expect(entryTexts(got).filter((text) => text.startsWith('there'))).toEqual(numbered('there ', 5))
      })

      /** Appends of processes at random, some of which are visible only after others that came later. */
      const appendAtRandom = async (feeds: readonly Process[], stream: string, random: () => number) => {
        const pick = <T>(from: readonly T[]) => from[upTo(from.length - 1, random)] as T
        const sent: string[] = []
        for (let turn = 0; turn < 60; turn += 1) {
          const feed = pick(feeds)
          const texts = numbered(`${turn}.`, 1 + upTo(3, random))
          sent.push(...texts)
          const show = pick([feed.watched.holdCommits, () => () => undefined, () => () => undefined])()
          const appended = feed.append(stream, drafts(...texts))
          await pick([() => undefined, () => settled(feed)])()
          for (const { clock } of feeds) clock.advance(upTo(400, random))
          show()
          await appended
        }
        return sent
      }

      it('gives each entry once, whatever three processes do at the same time', async () => {
        const feeds = [start(), start(-700), start(400)] as const
        const stream = newStream()
        await feeds[0].append(stream, drafts('there before'))
        const followers = await Promise.all(feeds.map((feed) => following(feed, stream)))
        const sent = ['there before', ...(await appendAtRandom(feeds, stream, seededRandom(20_261_124)))]
        await passUntil(feeds, () => followers.every(({ got }) => got.length >= sent.length))
        for (const feed of feeds) {
          feed.clock.advance(20_000)
          await settled(feed)
        }
        const ids = entryIds(await feeds[0].read(stream))
        for (const { got } of followers) {
          expect(entryTexts(got).toSorted()).toEqual(sent.toSorted())
          expect(entryIds(got).toSorted()).toEqual(ids)
        }
      })

      it('gives an entry once although the clock is set back', async () => {
        const feed = start()
        const stream = newStream()
        const { got } = await following(feed, stream)
        await feed.append(stream, drafts('a'))
        await until(() => got.length === 1)
        feed.clock.advance(20_000)
        await settled(feed)
        feed.clock.setWall(feed.clock.now() - 60_000)
        for (let polls = 0; polls < 3; polls += 1) {
          feed.clock.advance(1_750)
          await settled(feed)
        }
        expect(entryTexts(got)).toEqual(['a'])
      })

      it('reports an append that takes longer than six seconds as unavailable', async () => {
        const feed = start()
        const stream = newStream()
        const show = feed.watched.holdCommits()
        const slow = feed.append(stream, drafts('slow'))
        const refused = expect(slow).rejects.toMatchObject({ kind: 'unavailable' })
        await until(() => feed.clock.pending === 1)
        feed.clock.advance(6_000)
        await refused
        show()
        await feed.append(stream, drafts('next'))
        expect(entryTexts(await feed.read(stream))).toContain('next')
      })

      it('reads ahead of a slow reader by one page', async () => {
        const feed = start()
        const stream = newStream()
        const texts = numbered('t', 300)
        await Promise.all(texts.map((text) => feed.append(stream, drafts(text))))
        const aborter = new AbortController()
        const entries = feed.follow(stream, {}, aborter.signal)[Symbol.asyncIterator]()
        await entries.next()
        for (let n = 0; n < 20; n += 1) {
          await feed.append(stream, drafts(`more ${n}`))
          feed.clock.advance(1_000)
        }
        expect(feed.watched.rows()).toBeLessThan(100)
        const got: string[] = []
        while (got.length < 319) got.push(...entryTexts([(await entries.next()).value]))
        expect(got).toEqual([...texts.slice(1), ...numbered('more ', 20)])
        aborter.abort()
        expect(await entries.next()).toMatchObject({ done: true })
      })

      it('reads once for all followers who wait at the same place', async () => {
        const [feed, other] = [start(), start()]
        const stream = newStream()
        const followers = [await following(feed, stream), await following(feed, stream)]
        const before = feed.watched.pages()
        feed.clock.advance(1_000)
        await settled(feed)
        expect(feed.watched.pages()).toBe(before + 1)
        await other.append(stream, drafts('a'))
        feed.clock.advance(1_100)
        await until(() => followers.every(({ got }) => got.length === 1))
        expect(feed.watched.pages()).toBe(before + 2)
      })

      it('does not share a read that began before an append', async () => {
        const feed = start()
        const stream = newStream()
        const show = feed.watched.holdReads()
        const aborter = new AbortController()
        const one = feed.follow(stream, {}, aborter.signal)[Symbol.asyncIterator]()
        const first = one.next()
        await until(() => feed.watched.pages() === 1)
        await new Promise((resolve) => setTimeout(resolve, 20))
        await feed.append(stream, drafts('a'))
        const other = feed.follow(stream, {}, aborter.signal)[Symbol.asyncIterator]()
        const second = other.next()
        show()
        expect(entryTexts([(await first).value, (await second).value])).toEqual(['a', 'a'])
        aborter.abort()
      })

      it('ends at once when its signal aborts, and leaves no timer', async () => {
        const feed = start()
        const stream = newStream()
        const [one, other] = [await following(feed, stream), await following(feed, stream)]
        expect(feed.clock.pending).toBe(1)
        await one.stop()
        await feed.append(stream, drafts('a'))
        await until(() => other.got.length === 1)
        const show = feed.watched.holdReads()
        feed.clock.advance(1_000)
        await until(() => !feed.watched.isQuiet())
        await other.stop()
        expect(feed.clock.pending).toBe(0)
        show()
        expect(one.got).toEqual([])
        const signal = AbortSignal.abort()
        for await (const entry of feed.follow(stream, {}, signal)) expect(entry).toBeUndefined()
        expect(feed.clock.pending).toBe(0)
      })

      it('leaves no timer when its reader leaves', async () => {
        const feed = start()
        const stream = newStream()
        await feed.append(stream, drafts('a', 'b'))
        for await (const { data } of feed.follow(stream, {}, new AbortController().signal)) {
          expect(data).toEqual({ text: 'a' })
          break
        }
        expect(feed.clock.pending).toBe(0)
      })
    })
  })
}
