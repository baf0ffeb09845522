import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from '@jest/globals'
import { seededRandom } from '../../crash/random.ts'
import { withChild } from './child.ts'
import { inFile, type Job } from './samples.ts'
import { openSentJobs, sentJobs } from './sent-jobs.ts'

const KILLS = Number(process.env.CRASH_KILLS ?? 6)

const storedJobs = async (store: ReturnType<typeof openSentJobs>): Promise<readonly Job[]> =>
  (await store.page(sentJobs, { index: 'newest', order: 'asc', limit: 1_000_000 })).rows

/** The messages that the commits of a job caused. */
const expectedMessages = ({ id, state }: Job) =>
  state === 'shut' ? [`open ${id}`, `shut ${id}`] : [`open ${id}`]

it(`Of a process that was killed ${KILLS} times, every message of every committed row is delivered, counters equal the rows, and no message is of a row that is not there`, () =>
  inFile(async (file) => {
    const random = seededRandom(20_311_123)
    const journal = `${file}.sent`
    let redelivered = 0
    for (let kill = 0; kill < KILLS; kill += 1) {
      await withChild('send-forever.ts', [file, journal, String(kill)], async ({ said, kill: end }) => {
        await said()
        await sleep(random() * 100)
        await end()
      })
      const db = new DatabaseSync(file)
      redelivered += Number(db.prepare('SELECT count(*) AS n FROM _outbox').get()?.n)
      db.close()
    }
    const last: string[] = []
    const store = openSentJobs(file, async (messages) => void last.push(...messages.map(({ id }) => id)))
    await store.adjust([])
    const rows = await storedJobs(store)
    const delivered = new Set([...readFileSync(journal, 'utf8').trimEnd().split('\n'), ...last])
    expect(delivered).toEqual(new Set(rows.flatMap(expectedMessages)))
    const shut = rows.filter(({ state }) => state === 'shut').length
    expect(await store.counters('jobs')).toEqual({ all: { open: rows.length - shut, shut } })
    for (const { id, state } of rows)
      expect((await store.log(sentJobs, id)).map((entry) => entry.id)).toEqual(
        state === 'shut' ? ['e1', 'e2'] : ['e1'],
      )
    // Otherwise no kill came between a commit and the removal of what it sent.
    expect(redelivered).toBeGreaterThan(0)
    await store.close()
  }))
