import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from '@jest/globals'
import { openSqliteStore } from '../../../lib/adapters/sqlite/store.ts'
import type { Collection } from '../../../lib/core/collection.ts'
import { createFakeClock } from '../../fakes/clock.ts'
import { declared, inFile, type Job, job, jobs, lines, openJobs } from './samples.ts'

const openWith = (file: string, ...collections: unknown[]) =>
  openSqliteStore({ file, clock: createFakeClock(), collections: declared(...collections) })

const ranked: Collection<Job> = {
  ...jobs,
  indexes: { ...jobs.indexes, byRank: { within: 'state', by: 'rank' } },
}
const byRank = { index: 'byRank', is: 'open', order: 'asc', limit: 9 } as const
const fill = async (file: string) => {
  const store = openJobs(file)
  for (const row of [job(1, { rank: 3 }), job(2), job(3, { rank: 0.1 })])
    await store.commit({ insert: jobs, row })
  await store.close()
}

/** What a file has once these versions of the service have opened it: its indexes, and the columns of its tables. */
const layoutAfter = async (...versions: unknown[][]) => {
  let layout: Record<string, unknown[]> = {}
  await inFile(async (file) => {
    for (const version of versions) await openWith(file, ...version).close()
    const db = new DatabaseSync(file)
    const columns = ({ name }: Record<string, unknown>) =>
      db
        .prepare('SELECT name, type, "notnull", pk FROM pragma_table_xinfo(?) ORDER BY name')
        .all(String(name))
        .map(Object.values)
    const tables = db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all()
    const indexes = db.prepare(`SELECT name, sql FROM sqlite_schema WHERE type = 'index' ORDER BY name`).all()
    layout = { ...Object.fromEntries(tables.map((table) => [table.name, columns(table)])), indexes }
    db.close()
  })
  return layout
}

describe('a file of an earlier version', () => {
  it('gains a new index, filled from the rows that are there', () =>
    inFile(async (file) => {
      await fill(file)
      const store = openWith(file, ranked)
      expect((await store.page(ranked, byRank)).rows.map(({ id }) => id)).toEqual(['j3', 'j1'])
      await store.close()
    }))
  it('gains a new collection beside the old ones', () =>
    inFile(async (file) => {
      await fill(file)
      const others = { ...jobs, name: 'others' }
      const store = openWith(file, jobs, others)
      expect((await store.commit({ insert: others, row: job(1) })).applied).toBe(true)
      expect(await store.count(jobs, { index: 'newest' })).toBe(3)
      await store.close()
    }))
  it('gains a new counter, counted from the rows that are there, beside those that it has', () =>
    inFile(async (file) => {
      await fill(file)
      const counted: Collection<Job> = {
        ...jobs,
        counts: ({ before, after }) => {
          if (after?.rank === 3) throw new Error('cannot be counted')
          const count = (after ? 1 : 0) - (before ? 1 : 0)
          return ['jobs', 'jobs.new'].map((counter) => ({ counter, member: 'all', add: { count } }))
        },
      }
      for (let start = 0; start < 2; start += 1) {
        const store = openWith(file, counted)
        expect(await store.counters('jobs.new')).toEqual({ all: { count: 2 } })
        expect(await store.counters('jobs')).toEqual({ all: { count: 3 } })
        await store.close()
      }
    }))
  it('gains of a counter whose members expire those that have not', () =>
    inFile(async (file) => {
      await fill(file)
      const clock = createFakeClock()
      const hourly: Collection<Job> = {
        ...jobs,
        counts: ({ after }) => {
          const ms = after?.rank === 3 ? 1 : 0
          return [{ counter: 'hourly', member: `in ${ms}`, add: { one: 1 }, expiresAt: clock.now() + ms }]
        },
      }
      const store = openSqliteStore({ file, clock, collections: declared(hourly) })
      expect(await store.counters('hourly')).toEqual({ 'in 1': { one: 1 } })
      await store.close()
    }))
  it('loses an index that is no longer declared, and is right when that comes back', () =>
    inFile(async (file) => {
      await fill(file)
      await openWith(file, ranked).close()
      const without = openJobs(file)
      await without.commit({ update: jobs, key: 'j1', set: { rank: -1 } })
      await without.commit({ update: jobs, key: 'j2', set: { rank: 0 } })
      await without.close()
      const again = openWith(file, ranked)
      expect((await again.page(ranked, byRank)).rows.map(({ id }) => id)).toEqual(['j1', 'j2', 'j3'])
      await again.close()
    }))
  it('comes to the layout of a new one', async () => {
    const grown = await layoutAfter(
      [
        { ...jobs, indexes: {}, expires: undefined },
        { ...lines, indexes: {} },
      ],
      [ranked, lines],
    )
    expect(grown).toEqual(await layoutAfter([ranked, lines]))
    expect(grown.jobs).toContainEqual(['_small', 'TEXT', 0, 0])
    expect(grown.lines).toContainEqual(['owner', '', 1, 1])
  })
  it('is refused when a key is no longer the same field', () =>
    inFile(async (file) => {
      await fill(file)
      expect(() => openWith(file, { ...jobs, key: 'at' })).toThrow('The key of stored jobs is another one')
      await openJobs(file).close()
    }))
})

/** What the release before writes, which had followers and tallies instead of logs and counters, and announcements. */
const BEFORE_THE_OUTBOX = `
  CREATE TABLE tally_totals (grp NOT NULL, member NOT NULL, name NOT NULL, value NOT NULL,
    PRIMARY KEY (grp, member, name)) WITHOUT ROWID;
  CREATE TABLE high_water (name PRIMARY KEY, highest NOT NULL) WITHOUT ROWID;
  CREATE TABLE commit_count (commits INTEGER NOT NULL, database_id TEXT NOT NULL);
  CREATE TABLE "jobs" (_rid INTEGER PRIMARY KEY, "id" NOT NULL, _head TEXT NOT NULL, _small TEXT, "at", "state", "until",
    "owed", UNIQUE ("id"));
  CREATE TABLE "jobs_detail" (_rid INTEGER PRIMARY KEY, detail TEXT NOT NULL);
  CREATE INDEX "jobs__at" ON "jobs" ("at", "id") WHERE "at" IS NOT NULL;
  CREATE INDEX "jobs__owed" ON "jobs" ("owed", "id") WHERE "owed" IS NOT NULL;
  CREATE TABLE "lines" ("owner" NOT NULL, "id" NOT NULL, _head TEXT NOT NULL, PRIMARY KEY ("owner", "id")) WITHOUT ROWID;
  CREATE TABLE "announcements" (_rid INTEGER PRIMARY KEY, "id" NOT NULL, _head TEXT NOT NULL, "createdAt", UNIQUE ("id"));
  INSERT INTO jobs VALUES (1, 'j1', '{"id":"j1","state":"open","at":"000001","owed":"1"}', '{"body":"heavy"}', '000001',
    'open', NULL, '1');
  INSERT INTO lines VALUES
    ('j1', 'a', '[{"owner":"j1","id":"a","text":"first"},{"owner":"j1","id":"b","text":"second"}]');
  INSERT INTO announcements VALUES (1, 'n1', '{"id":"n1","createdAt":"1"}', '1');
  INSERT INTO tally_totals VALUES ('jobs', 'all', 'count', 1);
  INSERT INTO high_water VALUES ('jobs', 'j1~'), ('lines', 'b~');
  INSERT INTO commit_count VALUES (7, 'abc');
  PRAGMA user_version = 2;
  PRAGMA application_id = 0x41545363;
`

describe('a file of the release before', () => {
  const followed = {
    ...jobs,
    log: lines,
    sends: ({ after }: { after?: Job }) => [{ to: 'mail', id: `m ${after?.at}`, body: {} }],
  } as unknown as typeof jobs

  it('opens with its rows, its log and its counters, and takes messages', () =>
    inFile(async (file) => {
      const db = new DatabaseSync(file)
      db.exec(BEFORE_THE_OUTBOX)
      db.close()
      const taken: string[] = []
      const deliver = async (messages: readonly { id: string }[]) =>
        void taken.push(...messages.map(({ id }) => id))
      const collections = declared(followed, lines)
      const store = openSqliteStore({ file, clock: createFakeClock(), collections, deliver })
      store.start()
      expect(await store.get(followed, 'j1', true)).toMatchObject(job(1, { at: '000001', body: 'heavy' }))
      const log = [{ id: 'c', text: 'third' }]
      await store.commit({ update: followed, key: 'j1', set: { at: '000002' }, log })
      await store.commit({ insert: followed, row: job(3) })
      expect((await store.log(followed, 'j1')).map(({ text }) => text)).toEqual(['first', 'second', 'third'])
      expect(await store.counters('jobs')).toEqual({ all: { count: 2 } })
      await store.drained()
      expect(taken).toEqual(['m 000002', 'm 000003'])
      await store.close()
    }))

  it('keeps what it has of collections that are retired, for a store that declares one again', () =>
    inFile(async (file) => {
      const db = new DatabaseSync(file)
      db.exec(BEFORE_THE_OUTBOX)
      db.close()
      await openWith(file, jobs, lines).close()
      const announcements = {
        name: 'announcements',
        key: 'id',
        indexes: { oldest: { by: 'createdAt' } },
      } as const
      const store = openWith(file, announcements)
      const { rows } = await store.page(announcements as never, { index: 'oldest', order: 'asc', limit: 9 })
      expect(rows).toEqual([{ id: 'n1', createdAt: '1' }])
      expect((await store.commit({ remove: announcements as never, key: 'n1' })).applied).toBe(true)
      await store.close()
    }))
})

describe('a file of a newer version', () => {
  it('is refused, and left as it is', () =>
    inFile(async (file) => {
      await fill(file)
      const db = new DatabaseSync(file)
      db.exec('PRAGMA user_version = 99')
      db.close()
      expect(() => openJobs(file)).toThrow(
        expect.objectContaining({ kind: 'unavailable', code: 'storage_too_new' }),
      )
    }))
})

describe('a declaration', () => {
  it.each([
    ['a collection', { ...jobs, name: 'jobs"; DROP TABLE jobs' }],
    ['a key', { ...jobs, key: 'id_' }],
    ['a field of an index', { ...jobs, indexes: { odd: { by: 'a b' } } }],
    ['a field of detail', { ...jobs, detail: ["a'"] }],
    ['a field in both an index and detail', { ...jobs, detail: ['at'] }],
  ])('with a name that SQL must not see is refused: %s', async (_, odd) => {
    expect(() => openWith(':memory:', odd)).toThrow(/letters and digits|cannot be detail/)
  })
})
