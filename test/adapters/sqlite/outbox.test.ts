import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import type { Deliver } from '../../../lib/adapters/sqlite/outbox.ts'
import { openSqliteStore } from '../../../lib/adapters/sqlite/store.ts'
import type { Channel, Message } from '../../../lib/core/collection.ts'
import { createFakeClock } from '../../fakes/clock.ts'
import { declared, inFile, type Job, job, jobs } from './samples.ts'

/** A row sends what its `body` says: a channel for each word. Those of the channel `run` are rebuilt. */
const sending = {
  ...jobs,
  detail: [],
  sends: ({ after }: { after: Readonly<Job> | undefined }): Message[] =>
    ((after?.body?.split(' ') ?? []) as Channel[]).map((to) => ({
      to,
      id: `${to} ${after?.id}`,
      body: { jobId: after?.id },
      ...(to === 'run' ? { rebuilt: true } : { priority: 2, notBefore: '2031', group: 'g' }),
    })),
}
const insert = (n: number, body: string) => ({ insert: sending, row: job(n, { body }) })

const open = (file: string, refuses: (message: Message) => boolean = () => false) => {
  const clock = createFakeClock()
  const calls: string[][] = []
  const taken: Message[] = []
  const deliver: Deliver = async (messages) => {
    calls.push(messages.map(({ id }) => id))
    if (messages.some(refuses)) throw new Error('not now')
    taken.push(...messages)
  }
  const store = openSqliteStore({ file, clock, collections: declared(sending), deliver })
  /** Lets time pass, and what that begins come to its end. */
  const pass = async (ms: number) => {
    clock.advance(ms)
    for (let turn = 0; turn < 20; turn += 1) await nextTurn()
  }
  return { store, clock, calls, taken, pass }
}

/** Ids of the messages that are in the outbox of a file. */
const stored = (file: string) => {
  const db = new DatabaseSync(file, { readOnly: true })
  const rows = db.prepare(`SELECT message ->> 'id' AS id FROM _outbox ORDER BY seq`).all()
  db.close()
  return rows.map(({ id }) => id)
}

describe('the outbox', () => {
  it('hands over the messages of one turn together, once they are in the file', () =>
    inFile(async (file) => {
      const { store, calls } = open(file)
      store.start()
      await Promise.all([store.commit(insert(1, 'run notices')), store.commit(insert(2, 'notices'))])
      expect(calls).toEqual([['run j1', 'notices j1', 'notices j2']])
      expect(stored(file)).toEqual(['notices j1', 'notices j2'])
      await store.close()
    }))

  it('removes what was delivered with the next batch, else a second later with one of its own', () =>
    inFile(async (file) => {
      const { store, pass } = open(file)
      store.start()
      await store.commit(insert(1, 'notices'))
      await store.commit(insert(2, 'notices notices'))
      expect(stored(file)).toEqual(['notices j2', 'notices j2'])
      await pass(999)
      expect(stored(file)).toHaveLength(2)
      await pass(1)
      await store.adjust([])
      expect(stored(file)).toEqual([])
      await store.close()
    }))

  it('delivers nothing before the start, and then what this process and others left', () =>
    inFile(async (file) => {
      const first = open(file)
      await first.store.commit(insert(1, 'notices run'))
      await first.store.close()
      expect([first.calls, stored(file)]).toEqual([[], ['notices j1']])
      const second = open(file)
      await second.store.commit(insert(2, 'notices run'))
      expect(second.calls).toEqual([])
      second.store.start()
      await second.store.adjust([])
      expect(second.calls).toEqual([['run j2'], ['notices j1', 'notices j2']])
      expect(second.taken.at(-1)).toEqual({
        to: 'notices',
        id: 'notices j2',
        body: { jobId: 'j2' },
        priority: 2,
        notBefore: '2031',
        group: 'g',
      })
      expect(stored(file)).toEqual([])
      await second.store.close()
    }))

  it('delivers again what was refused, after waits that double up to a minute', () =>
    inFile(async (file) => {
      let refusing = true
      const { store, calls, clock, taken } = open(file, () => refusing)
      store.start()
      await store.commit(insert(1, 'notices'))
      const waits: number[] = []
      for (let round = 0; round < 12; round += 1) {
        const before = calls.length
        let waited = 0
        for (; calls.length === before; waited += 100) {
          clock.advance(100)
          await nextTurn()
        }
        waits.push(waited)
      }
      expect(waits.slice(0, 4)).toEqual([100, 200, 400, 800])
      expect(waits.slice(-2)).toEqual([60_000, 60_000])
      refusing = false
      clock.advance(60_000)
      await store.adjust([])
      expect(new Set(calls.flat())).toEqual(new Set(['notices j1']))
      expect([taken.length, stored(file)]).toEqual([1, []])
      await store.close()
    }))

  it('lets one message that is never taken hold up no other, rebuilt ones included', () =>
    inFile(async (file) => {
      const { store, taken, pass } = open(file, ({ id }) => id === 'notices j1' || id === 'run j2')
      store.start()
      await Promise.all([1, 2, 3].map((n) => store.commit(insert(n, 'notices run'))))
      expect(taken).toEqual([])
      await pass(100)
      expect(taken.map(({ id }) => id).toSorted()).toEqual(['notices j2', 'notices j3', 'run j1', 'run j3'])
      await store.commit(insert(4, 'notices'))
      expect(taken.at(-1)?.id).toBe('notices j4')
      await store.close()
      expect(stored(file)).toEqual(['notices j1'])
    }))

  it('does not hand over a second time what is being delivered, or was, when a backlog is tried', () =>
    inFile(async (file) => {
      const calls: string[] = []
      const underWay = Promise.withResolvers<void>()
      const deliver: Deliver = async ([message]) => {
        calls.push(String(message?.id))
        if (message?.id === 'notices j1') throw new Error('not now')
        if (message?.id === 'notices j2') await underWay.promise
      }
      const clock = createFakeClock()
      const store = openSqliteStore({ file, clock, collections: declared(sending), deliver })
      store.start()
      for (const n of [1, 2, 3]) await store.commit(insert(n, 'notices'))
      await nextTurn()
      clock.advance(100)
      await nextTurn()
      expect(calls).toEqual(['notices j1', 'notices j2', 'notices j3', 'notices j1'])
      underWay.resolve()
      await store.close()
      expect(stored(file)).toEqual(['notices j1'])
    }))

  it('delivers again what fails while its backlog is being delivered, also behind the place of that round', () =>
    inFile(async (file) => {
      const calls: string[] = []
      const [slow, round] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const results = [slow.promise, Promise.reject(new Error('not now')), round.promise]
      const deliver: Deliver = async ([message]) => {
        calls.push(String(message?.id))
        await results.shift()
      }
      const clock = createFakeClock()
      const store = openSqliteStore({ file, clock, collections: declared(sending), deliver })
      store.start()
      for (const n of [1, 2]) await store.commit(insert(n, 'notices'))
      await nextTurn()
      clock.advance(100)
      await nextTurn()
      expect(calls).toEqual(['notices j1', 'notices j2', 'notices j2'])
      slow.reject(new Error('too late'))
      await nextTurn()
      round.resolve()
      await nextTurn()
      clock.advance(60_000)
      await store.adjust([])
      expect(calls.slice(3)).toEqual(['notices j1'])
      expect(stored(file)).toEqual([])
      await store.close()
    }))

  it('removes many delivered messages in several batches', () =>
    inFile(async (file) => {
      const first = open(file)
      await first.store.commit(insert(1, Array(5_000).fill('notices').join(' ')))
      await first.store.close()
      const { store, taken, pass } = open(file)
      store.start()
      await pass(0)
      expect(taken).toHaveLength(5_000)
      await store.commit({ insert: sending, row: job(2) })
      expect(stored(file)).toHaveLength(5_000 - 4_096)
      await store.close()
      expect(stored(file)).toEqual([])
    }))

  it('reads a long backlog page by page, and leaves none of it out', () =>
    inFile(async (file) => {
      const first = open(file)
      await Promise.all(Array.from({ length: 700 }, (_, n) => first.store.commit(insert(n, 'notices'))))
      await first.store.close()
      const second = open(file, ({ id }) => id === 'notices j300')
      second.store.start()
      await second.pass(0)
      expect(new Set(second.taken.map(({ id }) => id)).size).toBe(699)
      await second.store.close()
      expect(stored(file)).toEqual(['notices j300'])
    }))

  it('delivers what lies behind more than a page of messages that are never taken', () =>
    inFile(async (file) => {
      const first = open(file)
      await Promise.all(Array.from({ length: 610 }, (_, n) => first.store.commit(insert(n, 'notices'))))
      await first.store.close()
      const isPoison = ({ id }: Message) => Number(id.replace(/\D/g, '')) < 600
      const second = open(file, isPoison)
      second.store.start()
      await second.pass(0)
      for (let round = 0; round < 4; round += 1) await second.pass(60_000)
      expect(second.taken).toHaveLength(10)
      await second.store.close()
      expect(stored(file)).toHaveLength(600)
    }))

  it('waits for deliveries under way when it is closed, and leaves the rest', () =>
    inFile(async (file) => {
      const underWay = Promise.withResolvers<void>()
      const deliver: Deliver = () => underWay.promise
      const options = { file, clock: createFakeClock(), collections: declared(sending), deliver }
      const store = openSqliteStore(options)
      store.start()
      await store.commit(insert(1, 'notices'))
      const late = store.commit(insert(2, 'notices'))
      let isClosed = false
      const closed = store.close().then(() => {
        isClosed = true
      })
      await late
      await nextTurn()
      expect(isClosed).toBe(false)
      underWay.resolve()
      await closed
      expect(stored(file)).toEqual(['notices j2'])
    }))

  it('has nothing of a commit that is refused, throws, or is void', () =>
    inFile(async (file) => {
      const { store, calls } = open(file)
      store.start()
      const refused = await store.commit(insert(1, 'notices'), [
        { update: sending, key: 'j9', set: { state: 'shut' } },
      ])
      expect(refused).toMatchObject({ applied: false, refused: 1 })
      const poison = { insert: sending, row: { ...job(3), body: 1n } }
      await expect(store.commit(insert(2, 'notices'), [poison])).rejects.toThrow(TypeError)
      const other = new DatabaseSync(file)
      other.exec('BEGIN IMMEDIATE')
      await expect(store.commit(insert(4, 'notices'))).rejects.toMatchObject({ code: 'storage_unavailable' })
      other.exec('ROLLBACK')
      other.close()
      await store.commit(insert(5, 'notices'))
      expect([calls, stored(file)]).toEqual([[['notices j5']], ['notices j5']])
      await store.close()
      expect(stored(file)).toEqual([])
    }))

  it('removes a delivered message also when the batch that was to remove it is void', () =>
    inFile(async (file) => {
      const { store, calls } = open(file)
      store.start()
      await store.commit(insert(1, 'notices'))
      const other = new DatabaseSync(file)
      other.exec('BEGIN IMMEDIATE')
      await expect(store.commit(insert(2, ''))).rejects.toMatchObject({ code: 'storage_unavailable' })
      other.exec('ROLLBACK')
      other.close()
      await store.commit(insert(3, 'notices'))
      await store.close()
      expect([calls, stored(file)]).toEqual([[['notices j1'], ['notices j3']], []])
    }))

  it('refuses a message that could not be written', async () => {
    const bad: unknown[] = [{ to: 1 }, { id: undefined }, { body: 'text' }, { priority: 'x' }, { group: {} }]
    for (const [n, more] of bad.entries()) {
      const message = { to: 'notices', id: 'm', body: {}, ...(more as object) } as unknown as Message
      const collections = declared({ ...jobs, sends: () => [message] })
      const store = openSqliteStore({ file: ':memory:', clock: createFakeClock(), collections })
      await expect(store.commit({ insert: jobs, row: job(n) })).rejects.toThrow(TypeError)
      expect([await store.counters('jobs'), await store.count(jobs, { index: 'newest' })]).toEqual([{}, 0])
      await store.close()
    }
  })
})
