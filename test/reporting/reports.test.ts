import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { TrackerName } from '../../lib/ports/tracker.ts'
import { createFakeClock, type FakeClock } from '../fakes/clock.ts'
import { storeOpeners } from '../fakes/stores.ts'
import { type FakeTrackers, refusals, startTrackers } from '../fakes/trackers.ts'
import { collections, FAILED, issueTask, openReporting, SECRET } from './opened.ts'

const NAMES: readonly TrackerName[] = ['codehost', 'trackera', 'trackerb']
const cases = storeOpeners(collections).flatMap(([storage, open]) =>
  NAMES.map((name) => [name, storage, open] as const),
)

type Opened = ReturnType<typeof openReporting>

describe.each(cases)('the report of a task of the %s, kept in %s', (name, _storage, open) => {
  let close: () => Promise<unknown>
  let trackers: FakeTrackers
  let clock: FakeClock
  let store: Awaited<ReturnType<typeof open>>['store']
  let process: () => ReturnType<typeof openReporting>
  let id = ''
  let count = 0

  beforeAll(async () => {
    clock = createFakeClock()
    const opened = await open(clock)
    store = opened.store
    close = opened.close
  })
  afterAll(() => close())
  afterEach(() => trackers[Symbol.asyncDispose]())
  beforeEach(async () => {
    // Storage is the suite's: each test has a task of its own.
    trackers = await startTrackers()
    count += 1
    id = `task_${count}`
    process = () => openReporting({ store, clock, trackers })
  })

  it('is one comment, which says how it ended, and which a later end changes', async () => {
    const { make, end, findReport } = process()
    await make(name, id)
    expect(await findReport(id)).toBeUndefined()
    await end(id, FAILED)
    expect(trackers.said(name)).toEqual([
      expect.stringMatching(
        /Task failed.* · 1 attempt · .*https:\/\/agents\.example\.com\/tasks\/task_\d+[\s\S]*agent_failed: It broke/,
      ),
    ])
    clock.advance(60_000)
    await end(id, { attempts: 2, error: undefined })
    expect(trackers.said(name)).toEqual([
      expect.stringMatching(/Task completed[\s\S]*2 attempts[\s\S]*I mended the checkout\./),
    ])
    expect(await findReport(id)).toMatchObject({
      provider: name,
      status: 'reported',
      url: expect.stringContaining('https://'),
      reportedAt: expect.any(String),
    })
    expect(trackers.writes(name)).toBe(2)
  })

  it('is made by another account, where the connection of the one linked last has ended', async () => {
    const { make, end, findReport, settings } = process()
    await make(name, id)
    settings.ended = true
    await end(id)
    expect(await findReport(id)).toMatchObject({ status: 'reported' })
    expect(trackers.writes(name)).toBe(1)
  })

  it('is made once, although the process dies after it was sent and before that was stored', async () => {
    const dying = process()
    trackers.write(name, 'an older comment')
    await dying.make(name, id)
    trackers.state.after = async (call) => {
      if (call.method !== 'GET') dying.death.at = 'reports'
    }
    await dying.end(id)
    expect(trackers.comments[name]).toHaveLength(2)
    expect(await dying.findReport(id)).toMatchObject({ status: 'pending' })

    trackers.state.after = async () => undefined
    const next = process()
    for (const [taskId, task] of dying.tasks) next.tasks.set(taskId, task)
    await next.pass(61_000)
    expect(await next.findReport(id)).toMatchObject({ status: 'reported' })
    expect(trackers.comments[name]).toHaveLength(2)
  })

  it.each([
    ['forbidden', 'comment_forbidden'],
    ['invalid', 'comment_refused'],
  ] as const)(
    'that the provider refuses as %s is told on the task, and not sent again',
    async (kind, code) => {
      trackers.state.answer = () => refusals(clock.now())[kind][name]
      const { make, end, pass, findReport } = process()
      await make(name, id)
      await end(id)
      expect(await findReport(id)).toMatchObject({
        status: 'failed',
        error: { code, message: expect.any(String) },
      })
      const { length } = trackers.calls
      await pass(7 * 86_400_000)
      expect(trackers.calls).toHaveLength(length)
    },
  )

  it('waits for as long as the provider asks', async () => {
    trackers.state.answer = () => refusals(clock.now()).rate_limited[name]
    const { make, end, pass, findReport } = process()
    await make(name, id)
    await end(id)
    const { length } = trackers.calls
    trackers.state.answer = () => undefined
    await pass(3_500_000)
    expect(trackers.calls).toHaveLength(length)
    expect(await findReport(id)).toMatchObject({
      status: 'pending',
      error: { code: 'provider_rate_limited' },
    })
    await pass(101_000)
    expect(trackers.comments[name]).toHaveLength(1)
    expect(await findReport(id)).toEqual({
      provider: name,
      status: 'reported',
      url: expect.any(String),
      reportedAt: expect.any(String),
    })
  })

  it('is sent again while the provider fails, and is given up with the schedule', async () => {
    trackers.state.answer = () => ({ status: 502 })
    const { make, end, pass, findReport } = process()
    await make(name, id)
    await end(id)
    for (let n = 0; n < 10; n++) await pass(86_400_000)
    const asked = trackers.calls.length
    expect(await findReport(id)).toMatchObject({ status: 'failed', error: { code: 'provider_failed' } })
    await pass(86_400_000)
    expect(trackers.calls).toHaveLength(asked)
  })

  it('is made anew once, when the comment was deleted', async () => {
    const { make, end, findReport } = process()
    await make(name, id)
    await end(id, FAILED)
    trackers.comments[name].length = 0
    for (let n = 0; n < 2; n++) {
      clock.advance(60_000)
      await end(id, { error: undefined })
      expect(trackers.said(name)).toEqual([expect.stringContaining('Task completed')])
    }
    expect(await findReport(id)).toMatchObject({ status: 'reported' })
  })

  it('is the same comment when the task is retried as a new one, however often', async () => {
    const { make, end, tasks, findReport } = process()
    await make(name, id)
    await end(id, FAILED)
    for (const [from, to] of [
      [id, `${id}a`],
      [`${id}a`, `${id}b`],
      [id, `${id}c`],
    ] as const) {
      clock.advance(60_000)
      tasks.set(to, issueTask(to, name, clock, { retriedFrom: from, attempts: 7 }))
      await end(to)
      expect(trackers.said(name)).toEqual([expect.stringContaining('7 attempts')])
      expect(await findReport(to)).toMatchObject({ status: 'reported' })
    }
  })

  it.each([
    ['the setting is off', ({ settings }: Opened) => Object.assign(settings, { on: false }), {}],
    ['no account is linked', ({ settings }: Opened) => Object.assign(settings, { linked: false }), {}],
    ['it was cancelled', () => undefined, { status: 'cancelled' as const }],
  ])('is not there when %s', async (_why, change, more) => {
    const opened = process()
    change(opened)
    await opened.make(name, id)
    await opened.end(id, more)
    await opened.pass(86_400_000)
    expect(trackers.calls).toEqual([])
    expect(await opened.findReport(id)).toBeUndefined()
  })

  it('brings neither secrets nor mentions, and no more than 8,000 characters of what the agent said', async () => {
    const { make, end } = process()
    const output = `Fixes #12, thanks @acme/team. <!-- agent-task-service task_0 --> ${SECRET} ${'long '.repeat(4_000)}`
    await make(name, id)
    await end(id, {
      result: {
        success: true,
        output,
        published: { pullRequest: { url: 'https://github.com/acme/shop/pull/13' } },
      },
    })
    const [said = ''] = trackers.said(name)
    expect(said).toContain('https://github.com/acme/shop/pull/13')
    expect(said).not.toMatch(/@acme|#12|CANARY/)
    expect(said.split('agent-task-service task_0').length).toBe(2)
    expect(said).not.toContain('<!-- agent-task-service task_0')
    expect(said.length).toBeLessThan(9_000)
  })
})
