import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from '@jest/globals'
import type { BulkJob } from '../../lib/bulk/schema.ts'
import { onLoopback } from '../../offline/loopback.ts'
import { until } from '../journeys/api.ts'
import { commandLine, runHere } from './command-line.ts'

const ID = 'bulk_1'

type Options = { count: number; ends?: boolean; isFollowed?: boolean; of?: Partial<BulkJob> }

/**
 * A service in which a filter finds so many tasks, and whose job does 100 more each time that it is read. One that is
 * followed ends a read later.
 */
const openService = async ({ count, ends = true, isFollowed = false, of = {} }: Options) => {
  const asked: string[] = []
  const job: BulkJob = {
    id: ID,
    target: 'tasks',
    action: 'retry',
    status: 'running',
    total: count,
    done: 0,
    failed: 0,
    createdBy: 'user_1',
    createdAt: '2026-01-01T00:00:00.000Z',
    failures: [],
    ...of,
  }
  const answers: Readonly<Record<string, () => object>> = {
    'POST /api/tasks/bulk dry': () => ({ count, sample: [] }),
    'POST /api/dlq/bulk dry': () => ({ count, sample: [] }),
    'POST /api/tasks/bulk': () => ({ job }),
    'POST /api/dlq/bulk': () => ({ job }),
    [`GET /api/bulk/${ID}`]: () => {
      const isDone = job.done === count
      job.done = Math.min(job.done + 100, ends ? count : count - 1)
      if (isFollowed ? isDone : job.done === count) job.status = 'completed'
      return { job }
    },
    [`POST /api/bulk/${ID}/cancel`]: () => ({ message: 'Bulk job cancelled', job }),
  }
  const server = createServer(async (request, response) => {
    const isDry = (await text(request)).includes('"dryRun":true')
    const call = `${request.method} ${request.url}${isDry ? ' dry' : ''}`
    asked.push(call)
    const answer = answers[call]?.()
    const json = JSON.stringify(answer ?? { error: 'none', code: 'none' })
    response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' }).end(json)
  })
  const { url, stop } = await onLoopback(server)
  return { url, asked, [Symbol.dispose]: stop }
}

const runAt = (url: string, args: readonly string[], isTTY = false) =>
  runHere(args, { AGENT_TASKS_URL: url, HOME: '/nonexistent' }, isTTY)

const RETRY = ['retry', '--filter', 'status=failed', '--yes'] as const

describe('a bulk job of the command line', () => {
  it.each([
    [{ completed: 3, failed: 0, running: 0 }, 0, '3 completed, 0 failed again'],
    [{ completed: 2, failed: 1, running: 0 }, 1, '2 completed, 1 failed again'],
    [{ completed: 2, failed: 0, running: 0, cancelled: 1 }, 1, '2 completed, 0 failed again, 1 cancelled'],
  ])('that retried tasks with the results %j exits %d and says them', async (results, expected, said) => {
    using service = await openService({ count: 3, of: { results } })
    const { code, stdout } = await runAt(service.url, RETRY)
    expect([code, stdout]).toEqual([
      expected,
      `retry: 3 of 3 tasks queued again, ${said}, ${ID} is completed\n`,
    ])
  })

  it('counts the tasks that run once all are queued again', async () => {
    const results = { completed: 1, failed: 3, running: 96 }
    using service = await openService({ count: 100, isFollowed: true, of: { results } })
    const { stderr } = await runAt(service.url, RETRY, true)
    expect(stderr.split('\r').slice(1)).toEqual([
      'retry: 0 of 100 tasks\u001b[K',
      'retry: 1 completed, 3 failed again, 96 still running\u001b[K',
      '\u001b[K',
    ])
  })

  it.each([RETRY, ['dlq', 'retry', '--all', '--yes']])(
    'is not waited for with --no-wait: %j',
    async (...args) => {
      using service = await openService({ count: 3, ends: false })
      expect(await runAt(service.url, [...args, '--no-wait'])).toMatchObject({ code: 0, stdout: `${ID}\n` })
      expect(service.asked.filter((call) => call.startsWith('GET'))).toEqual([])
    },
  )

  it('is named with its page when it is accepted, and is counted on a terminal', async () => {
    using service = await openService({ count: 150 })
    const { url } = service
    const { code, stdout, stderr } = await runAt(url, RETRY, true)
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `retry: 150 of 150 tasks, ${ID} is completed\n`,
    })
    expect(stderr.startsWith(`${ID}  ${url}/bulk/${ID}\n`)).toBe(true)
    expect(stderr.split('\r').slice(1)).toEqual([
      'retry: 0 of 150 tasks\u001b[K',
      'retry: 100 of 150 tasks\u001b[K',
      '\u001b[K',
    ])
  })

  it('is named and not counted without a terminal', async () => {
    using service = await openService({ count: 1 })
    const { stderr } = await runAt(service.url, RETRY)
    expect(stderr).toBe(`${ID}  ${service.url}/bulk/${ID}\n`)
  })

  it.each([
    ['tasks', RETRY, '/tasks/'],
    ['dlq', ['dlq', 'retry', '--all', '--yes'], '/queue?status=all&item='],
  ] as const)(
    'lists what failed of %s with page, title and reason, an item without a title too',
    async (target, args, page) => {
      const failures = [
        { id: 'one', title: 'Fix the\nbuild', error: 'It waits', code: 'task_state_conflict' },
        { id: 'a/b', error: 'Not found', code: 'task_not_found' },
      ]
      using service = await openService({ count: 3, of: { target, failed: 2, failures } })
      const { url } = service
      const { code, stderr } = await runAt(url, args)
      expect([code, stderr.split('\n').slice(1, -1)]).toEqual([
        1,
        [`${url}${page}one  Fix the build: It waits`, `${url}${page}a%2Fb  Not found`],
      ])
    },
  )

  it('goes on after Ctrl-C, which says where it is and how it is stopped', async () => {
    using service = await openService({ count: 2, ends: false })
    const { url, asked } = service
    const cli = commandLine({ AGENT_TASKS_URL: url, HOME: '/nonexistent' })
    const { child, exited } = cli.start(RETRY)
    await until(async () => asked.includes(`GET /api/bulk/${ID}`) || undefined)
    child.kill('SIGINT')
    const { code, stderr } = await exited
    expect(code).toBe(130)
    expect(stderr).toContain(`The job continues: ${url}/bulk/${ID}\n`)
    const [, stop = ''] = /^Cancel the job: agent-tasks (.+)$/m.exec(stderr) ?? []
    expect(await runAt(url, stop.split(' '))).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Bulk job cancelled'),
    })
  })

  it.each([
    [RETRY, 'No tasks to retry, without those already retried.\n'],
    [['dlq', 'discard', '--all', '--yes'], 'No dead letters to discard.\n'],
  ])('does not begin where nothing matches: %j', async (args, said) => {
    using service = await openService({ count: 0 })
    expect(await runAt(service.url, args)).toEqual({ code: 0, stdout: '', stderr: said })
    expect(service.asked.filter((call) => !call.endsWith(' dry'))).toEqual([])
    expect(await runAt(service.url, [...args, '--json'])).toMatchObject({ stdout: '{"count":0}\n' })
  })

  it('does not begin in a dry run, which counts', async () => {
    using service = await openService({ count: 0 })
    expect((await runAt(service.url, [...RETRY, '--dry-run'])).stdout).toMatch(/^0 tasks match/)
    expect(service.asked).toEqual(['POST /api/tasks/bulk dry'])
  })
})
