import { createHash } from 'node:crypto'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { checkLog } from '../../lib/adapters/sqlite/check-log.ts'
import { openSqliteStore } from '../../lib/adapters/sqlite/store.ts'
import { openData } from '../../lib/app/data.ts'
import { collections } from '../../lib/collections.ts'
import { readConfig } from '../../lib/config/config.ts'
import { TASK_COUNTERS } from '../../lib/tasks/counters.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { ask, taskApi, until } from '../journeys/api.ts'
import { launchService, startService, temporaryFolder } from '../journeys/service.ts'

const TASKS = 15
const scripted = { AGENT_ADAPTERS: 'test/fixtures/agents/scripted.ts', DEFAULT_AGENT: 'scripted' }
type Folder = ReturnType<typeof temporaryFolder>

/**
 * The data folders of a service that was killed with all its tasks in the log, of one that was stopped, and of the latter
 * after it was started again and killed.
 */
const killed = temporaryFolder()
const stopped = temporaryFolder()
const resumed = temporaryFolder()
/** A look into the data file of a running service, with its log or, as after the loss of the log, without. */
const inFile = (folder: Folder, column: string, table: string, query = '') => {
  const db = new DatabaseSync(`file://${folder.in('service.db')}${query}`, { readOnly: true })
  try {
    return Number(db.prepare(`SELECT ${column} AS n FROM ${table}`).get()?.n)
  } finally {
    db.close()
  }
}
/** Resolves once no message waits in the file and its log has commits that the file does not: a checkpoint may just have been. */
const untilInLog = (folder: Folder, write: () => Promise<unknown>) =>
  until(async () => {
    if (inFile(folder, 'count(*)', '_outbox') > 0) return undefined
    const ahead =
      inFile(folder, 'commits', '_commits') - inFile(folder, 'commits', '_commits', '?immutable=1')
    if (ahead < 3) await write()
    return ahead >= 3 || undefined
  })
const fill = async (folder: Folder, end: 'kill9' | 'stop') => {
  await using service = await startService({ env: { DATA_DIR: folder.path, ...scripted } })
  const { create, untilIdle } = taskApi(service.baseUrl)
  for (let n = 0; n < TASKS; n += 1) await create({ title: `Task ${n}` })
  await untilIdle()
  let attempts = 1
  await untilInLog(folder, () => {
    attempts = (attempts % 9) + 1
    return ask(`${service.baseUrl}/api/settings`, 'PATCH', { retry: { attempts } })
  })
  await service[end]()
}
beforeAll(async () => {
  await Promise.all([fill(killed, 'kill9'), fill(stopped, 'stop')])
  cpSync(stopped.path, resumed.path, { recursive: true })
  await fill(resumed, 'kill9')
})
afterAll(() => {
  killed[Symbol.dispose]()
  stopped[Symbol.dispose]()
  resumed[Symbol.dispose]()
})

/** By which a start refuses a data folder, before it opens the file in it. */
const check = (folder: Folder, acceptLoss = false) => checkLog(folder.in('service.db'), acceptLoss)
/** What a start that does not refuse a data folder says of it. */
const look = (folder: Folder, env: Record<string, string> = {}) => {
  const { warning, release } = openData(readConfig({ DATA_DIR: folder.path, ...env }))
  release()
  return warning
}
const accepting = { ACCEPT_DATA_LOSS: '1' }
/** Opens the file as the service does, and hands over how many tasks it has and what a kill would leave of the folder. */
const open = async (folder: Folder, use: (total: number, left: Folder) => void | Promise<void>) => {
  const store = openSqliteStore({ file: folder.in('service.db'), collections, clock: createFakeClock() })
  try {
    const { [TASK_COUNTERS.member]: all } = await store.counters(TASK_COUNTERS.counter)
    using left = copyFolder(folder)
    await use(Number(all?.total ?? 0), left)
  } finally {
    await store.close()
  }
}

const copyFolder = (from: Folder) => {
  const folder = temporaryFolder()
  cpSync(from.path, folder.path, { recursive: true })
  return folder
}
const log = ({ in: at }: Folder) => at('service.db-wal')
/**
 * The end of the commits in a log: it starts over from its beginning after a checkpoint, and what was behind it stays, with
 * other salts (https://sqlite.org/fileformat2.html#walformat).
 */
const endOfCommits = (folder: Folder): number => {
  const bytes = readFileSync(log(folder))
  let end = 32
  while (end < bytes.length && bytes.subarray(end + 8, end + 16).equals(bytes.subarray(16, 24)))
    end += 24 + PAGE
  return end
}
const cutBy = (bytes: number) => (folder: Folder) => truncateSync(log(folder), endOfCommits(folder) - bytes)
const only =
  (...names: string[]) =>
  (folder: Folder) => {
    for (const name of readdirSync(folder.path))
      if (!names.includes(name)) rmSync(folder.in(name), { recursive: true })
  }
const contents = (folder: Folder) =>
  Object.fromEntries(
    ['service.db', 'service.db-wal', 'service.db-commits'].map((name) => [
      name,
      existsSync(folder.in(name))
        ? createHash('sha256')
            .update(readFileSync(folder.in(name)))
            .digest('hex')
        : undefined,
    ]),
  )

const PAGE = 4_096
/** As another program does that opens a data file and closes it as the last one. */
const foldBack = (folder: Folder) => {
  const other = new DatabaseSync(folder.in('service.db'))
  other.exec('PRAGMA wal_checkpoint(PASSIVE)')
  other.close()
  expect(existsSync(log(folder))).toBe(false)
}

/** Leaves data file and log as they are when a service dies after these statements of its start or its stop. */
const cutOffAfter = (statements: string) => (folder: Folder) => {
  const names = ['service.db', 'service.db-wal']
  const db = new DatabaseSync(folder.in('service.db'))
  db.exec(statements)
  const left = names.map((name) => readFileSync(folder.in(name)))
  db.close()
  for (const [at, name] of names.entries()) writeFileSync(folder.in(name), left[at] ?? '')
}

type Case = [what: string, from: Folder, change: (folder: Folder) => void]

const opened: Case[] = [
  ['a service that was killed', killed, () => undefined],
  [
    'a service that was killed, less what only speeds it up',
    killed,
    only('service.db', 'service.db-wal', 'service.db-commits'),
  ],
  [
    'a service that was killed, without the note of its commits',
    killed,
    only('service.db', 'service.db-wal'),
  ],
  ['a service that was killed, its log folded back by another program', killed, foldBack],
  ['a service that was stopped', stopped, () => undefined],
  ['a service that was stopped, its data file alone', stopped, only('service.db')],
  [
    'a service that died before its mark was in the data file',
    stopped,
    cutOffAfter('UPDATE _commits SET is_open = 1'),
  ],
  [
    'a service that died before its folded log was removed',
    stopped,
    cutOffAfter('UPDATE _commits SET is_open = 0; PRAGMA wal_checkpoint(FULL)'),
  ],
]

const refused: [...Case, why: RegExp][] = [
  ['no log', killed, (folder) => rmSync(log(folder)), /lost: its write-ahead log service\.db-wal is missing/],
  ['an empty log', killed, (folder) => truncateSync(log(folder)), /lost: .* service\.db-wal is empty/],
  [
    'a log of ten bytes',
    killed,
    (folder) => truncateSync(log(folder), 10),
    /lost: .* service\.db-wal is cut/,
  ],
  [
    'half a log',
    killed,
    (folder) => truncateSync(log(folder), endOfCommits(folder) / 2),
    /The last \d+ commits of .* are lost: .* is cut/,
  ],
  ['a log that lacks its last byte', killed, cutBy(1), /The last commit of .* is lost: .* is cut/],
  [
    'a log with a damaged byte',
    killed,
    (folder) => {
      const bytes = readFileSync(log(folder))
      bytes[1_000] = (bytes[1_000] ?? 0) ^ 1
      writeFileSync(log(folder), bytes)
    },
    /The last \d+ commits of .* are lost: .* damaged/,
  ],
  [
    'its data file alone',
    killed,
    only('service.db'),
    /was not closed, and its write-ahead log service\.db-wal is missing/,
  ],
  [
    'its data file and an empty log',
    killed,
    (folder) => {
      only('service.db')(folder)
      writeFileSync(log(folder), '')
    },
    /was not closed, and its write-ahead log service\.db-wal is empty/,
  ],
  [
    'all but its data file',
    killed,
    (folder) => rmSync(folder.in('service.db')),
    /service\.db is missing or empty/,
  ],
]

describe('a data folder is opened', () => {
  it.each(opened)('of %s, and has every task', async (_what, from, change) => {
    using folder = copyFolder(from)
    change(folder)
    expect(look(folder)).toBeUndefined()
    await open(folder, (total) => expect(total).toBe(TASKS))
    expect(readdirSync(folder.path)).not.toContain('service.db-commits')
  })

  it('by a service, without a warning', async () => {
    using folder = copyFolder(killed)
    await using service = await startService({ env: { DATA_DIR: folder.path, ...scripted } })
    expect(await taskApi(service.baseUrl).page('limit=1')).toMatchObject({ total: TASKS })
    expect(await service.stop()).toMatchObject({ code: 0, stdout: expect.not.stringContaining('"warn"') })
    expect(readdirSync(folder.path)).not.toContain('service.db-commits')
  })
})

describe('a data folder that another program reads', () => {
  /** As a backup does: what it sees stays in the log, or in the data file, for as long as it reads. */
  const read = (folder: Folder) => {
    const reader = new DatabaseSync(folder.in('service.db'), { readOnly: true })
    reader.exec('BEGIN')
    reader.prepare('SELECT commits FROM _commits').get()
    return reader
  }

  it('is opened after a stop beside the reader, a start and a kill', async () => {
    using folder = copyFolder(stopped)
    const env = { DATA_DIR: folder.path, ...scripted }
    const create = (service: { baseUrl: string }) => taskApi(service.baseUrl).create({ title: 'One more' })
    await using first = await startService({ env })
    const reader = read(folder)
    await create(first)
    expect(await first.stop()).toMatchObject({ code: 0 })
    await using second = await startService({ env })
    await create(second)
    reader.close()
    // Folds what there is, so that the data file says what the log said first.
    const folding = new DatabaseSync(folder.in('service.db'))
    folding.exec('PRAGMA wal_checkpoint(PASSIVE)')
    folding.close()
    await create(second)
    await second.kill9()
    await using third = await startService({ env })
    expect(await taskApi(third.baseUrl).page('limit=1')).toMatchObject({ total: TASKS + 3 })
  })

  it('is not opened for the first time until the reader has ended, since a lost log would not be missed', async () => {
    using folder = copyFolder(stopped)
    const env = { DATA_DIR: folder.path, ...scripted }
    const reader = read(folder)
    await using first = launchService({ env })
    const { code, stderr } = await first.exited
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^Cannot start: The data file is being read by another program[^\n]+\n$/),
    })
    reader.close()
    await using second = await startService({ env })
    expect(await taskApi(second.baseUrl).page('limit=1')).toMatchObject({ total: TASKS })
  })
})

describe('a data folder whose write-ahead log is lost', () => {
  it.each(refused)(
    'has %s: it is refused as it is, and opened when the loss is accepted',
    async (_what, from, change, why) => {
      using folder = copyFolder(from)
      change(folder)
      const before = contents(folder)
      expect(() => check(folder)).toThrow(why)
      expect(() => check(folder)).toThrow(
        /restore a backup into an empty folder, or start once with ACCEPT_DATA_LOSS=1/,
      )
      expect(contents(folder)).toEqual(before)

      expect(look(folder, accepting)).toMatch(new RegExp(`^Data loss was accepted: .*${why.source}`))
      await open(folder, async (total, left) => {
        expect(total).toBeLessThanOrEqual(TASKS)
        expect(look(left)).toBeUndefined()
        await open(left, (again) => expect(again).toBe(total))
      })
    },
  )

  it('ends a start by one line that says so, and is opened by one that accepts the loss', async () => {
    using folder = copyFolder(killed)
    cutBy(1)(folder)
    const env = { DATA_DIR: folder.path, ...scripted }
    await using first = launchService({ env })
    const { code, stdout, stderr } = await first.exited
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(
      /^Cannot start: The last commit of [^\n]+ start once with ACCEPT_DATA_LOSS=1[^\n]+\n$/,
    )

    await using second = await startService({ env: { ...env, ...accepting } })
    const { total } = await taskApi(second.baseUrl).page('limit=1')
    expect(total).toBeLessThanOrEqual(TASKS)
    expect(second.output()).toMatch(/"warn".*Data loss was accepted: The last commit of /)
    await second.kill9()
    await using third = await startService({ env })
    expect(await taskApi(third.baseUrl).page('limit=1')).toMatchObject({ total })
    expect(third.output()).not.toMatch('"warn"')
  })

  /** The killed service's file with all of its log in it, so that every page fits, but said to be another's. */
  const renamed = (folder: Folder, isOpen: number) => {
    using taken = copyFolder(killed)
    const other = new DatabaseSync(taken.in('service.db'))
    other.exec(`UPDATE _commits SET id = 'another', is_open = ${isOpen}`)
    other.close()
    cpSync(taken.in('service.db'), folder.in('service.db'))
  }
  const foreign: Case[] = [
    [
      'one that never had a log',
      killed,
      (folder) => {
        const other = new DatabaseSync(folder.in('other.db'))
        other.exec('CREATE TABLE t (a)')
        other.close()
        cpSync(folder.in('other.db'), folder.in('service.db'))
      },
    ],
    [
      'one of another service that was stopped',
      killed,
      (folder) => cpSync(stopped.in('service.db'), folder.in('service.db')),
    ],
    [
      'one of another service, with as many commits',
      resumed,
      (folder) => {
        const own = new DatabaseSync(folder.in('service.db'), { readOnly: true })
        const { commits } = own.prepare('SELECT commits FROM _commits').get() ?? {}
        own.close()
        using taken = copyFolder(killed)
        const other = new DatabaseSync(taken.in('service.db'))
        other.exec(`UPDATE _commits SET commits = ${commits}, is_open = 0`)
        other.close()
        cpSync(taken.in('service.db'), folder.in('service.db'))
      },
    ],
    [
      'one of another service, with as many commits and all its pages in the log',
      killed,
      (folder) => renamed(folder, 0),
    ],
    ['one of another service that was killed', killed, (folder) => renamed(folder, 1)],
    [
      'the same one as it was when the service was last stopped',
      resumed,
      (folder) => cpSync(stopped.in('service.db'), folder.in('service.db')),
    ],
  ]
  it.each(foreign)(
    'is not put together from a log and another data file (%s), whatever is accepted',
    (_what, from, change) => {
      using folder = copyFolder(from)
      change(folder)
      const before = contents(folder)
      expect(() => check(folder, true)).toThrow(
        /put beside a write-ahead log that is not its own: move service\.db-wal, .*-shm and .*-commits/,
      )
      expect(contents(folder)).toEqual(before)
    },
  )

  it('is not opened with what is left when that is damaged, whatever is accepted', () => {
    using folder = copyFolder(killed)
    const file = folder.in('service.db')
    foldBack(folder)
    const bytes = readFileSync(file)
    writeFileSync(file, bytes.fill(0xff, 3 * PAGE, 6 * PAGE))
    writeFileSync(folder.in('service.db-commits'), `${'9'.repeat(15)}\n`)
    expect(() => check(folder, true)).toThrow(
      /^The data file .* is damaged .*: restore a backup into an empty folder\.$/,
    )
  })

  it('is said to be whole when it is and a loss would be accepted', async () => {
    using folder = copyFolder(killed)
    expect(look(folder, accepting)).toBe(
      'ACCEPT_DATA_LOSS=1 is set, but no data is lost. Unset it, or the next loss is accepted too',
    )
    await open(folder, (total) => expect(total).toBe(TASKS))
  })
})
