import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import { rawSender } from '../journeys/raw.ts'
import { startService, temporaryFolder } from '../journeys/service.ts'

/** 49 is the full size. Only then is time checked: `npm run soak` runs one test at a time, `npm test` three. */
const FULL_MIB = process.env.IMPORT_MIB
const MIB = Number(FULL_MIB ?? 6)
const BYTES = MIB * 1_048_576
const HEALTH_MS = 1_000
const MOST_RESIDENT_MB = 700

const residentMb = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024

const exportBytes = (items: string) => Buffer.from(`{"version":"1.0","tasks":[${items}]}`)

const task = (at: number) =>
  JSON.stringify({
    id: `task_${at}`,
    title: `Task ${at}`,
    description: 'x'.repeat(250),
    status: 'completed',
    source: 'api',
    agent: `invented-${at}`,
    createdAt: '2026-01-01T00:00:00.000Z',
    completedAt: '2026-01-01T00:00:01.000Z',
    result: { success: true, output: 'y'.repeat(150) },
  })

const COUNT = Math.floor(BYTES / (task(100_000).length + 1))

describe(`an import of ${MIB} MiB`, () => {
  it.each<[what: string, body: () => Buffer, status: number, answer: object]>([
    [
      'of empty objects',
      () => exportBytes(`${'{},'.repeat(BYTES / 3 - 20)}{}`),
      413,
      { code: 'too_many_items' },
    ],
    [
      'of one item of empty objects',
      () => exportBytes(`[${'{},'.repeat(BYTES / 3 - 20)}{}]`),
      200,
      { results: { imported: 0, errors: [{ index: 0, message: expect.stringContaining('larger') }] } },
    ],
    [
      'of tasks that do not fit',
      () =>
        exportBytes(
          Array(99_999)
            .fill(`[${'{},'.repeat(BYTES / 300_000 - 2)}{}]`)
            .join(','),
        ),
      200,
      {
        results: { imported: 0, skipped: 0, errors: Array(100).fill(expect.anything()), moreErrors: 99_899 },
      },
    ],
    [
      'of tasks',
      () => exportBytes(Array.from({ length: COUNT }, (_, at) => task(at)).join(',')),
      200,
      { results: { imported: COUNT, skipped: 0, errors: [] } },
    ],
  ])(
    '%s takes at most 700 MB, and health is answered meanwhile, at full size within one second',
    async (what, importBody, status, answer) => {
      const body = importBody()
      expect(body.length).toBeGreaterThan(0.9 * BYTES)
      using folder = temporaryFolder()
      const env = { DATA_DIR: folder.path, MEMORY_DIR: folder.in('memory') }
      await using service = await startService({ env })
      using raw = rawSender(service.baseUrl)
      using other = rawSender(service.baseUrl)
      const waits: number[] = []
      const resident: number[] = []
      let isOver = false
      const sent = raw.send({ method: 'POST', path: '/api/tasks/import', body }).finally(() => {
        isOver = true
      })
      while (!isOver) {
        const begun = performance.now()
        await other.send({ path: '/api/health' })
        waits.push(performance.now() - begun)
        resident.push(residentMb(service.pid))
        await sleep(10)
      }
      expect(await sent).toMatchObject({ status, json: answer })
      const figures = { what, slowestMs: Math.max(...waits), residentMb: Math.max(...resident) }
      process.stdout.write(`Import of ${MIB} MiB: ${JSON.stringify(figures)}\n`)
      if (FULL_MIB) expect(figures.slowestMs).toBeLessThan(HEALTH_MS)
      expect(figures.residentMb).toBeLessThan(MOST_RESIDENT_MB)
    },
  )
})
