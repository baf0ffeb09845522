import { describe, expect, it } from '@jest/globals'
import { fittingEnd } from '../../lib/app/runner/outcome-size.ts'
import { fittingClaim } from '../../lib/runners/claim-size.ts'
import type { Claim, RunEnd } from '../../lib/runners/schema.ts'
import { bodyBytes } from '../../lib/runners/state-size.ts'
import { createFakeAgent, HOLD } from '../fakes/agent.ts'
import { ANN, startDomains, turns } from '../fakes/service.ts'

const MOST = 10_000
const text = (bytes: number) => 'x'.repeat(bytes)
/** Twice as long in a body, and again in the JSON of an event. */
const quotes = (bytes: number) => '"'.repeat(bytes)

const turn = (more: object = {}) => ({ id: 'task_0', title: 'Earlier', status: 'completed', ...more })
const claim = (more: object = {}) =>
  ({ task: { id: 'task_1', title: 'T', prompt: 'Go on' }, fence: 1, attempt: 1, ...more }) as unknown as Claim
const earlier = (continuation: object, more: object = {}) => ({
  earlier: {
    previous: turn({ result: { success: true, output: 'Done' } }),
    continuation,
    since: [],
    ...more,
  },
})

describe('a claim', () => {
  it.each<[string, Claim, object | undefined]>([
    ['whole where it fits', claim(earlier({ at: 1 })), { earlier: { continuation: { at: 1 } } }],
    [
      'without the part of a session that does not fit',
      claim(earlier({ files: { base: 'c' }, conversation: text(MOST) })),
      { earlier: { continuation: { files: { base: 'c' } } } },
    ],
    [
      'without a session that does not fit as a text in JSON',
      claim(earlier({ conversation: quotes(MOST / 3) })),
      { earlier: { previous: { result: { output: 'Done' } }, since: [{ id: 'task_0' }] } },
    ],
    [
      'with its session, but not with results of turns after it',
      claim(earlier({ at: 1 }, { since: [turn({ status: 'cancelled', prompt: text(MOST) })] })),
      { earlier: { continuation: { at: 1 }, since: [{ status: 'cancelled' }] } },
    ],
    [
      'without the texts of the turn before, where these do not fit',
      claim({ earlier: { previous: turn({ prompt: text(MOST) }), since: [] } }),
      { earlier: { previous: { title: 'Earlier', status: 'completed' } } },
    ],
    [
      'without the result of the attempt before',
      claim({ task: { id: 'task_1', prompt: 'Go on', result: { output: text(MOST) } } }),
      { task: { prompt: 'Go on' } },
    ],
    ['whole with its checkpoint', claim({ checkpoint: { at: 1 } }), { checkpoint: { at: 1 } }],
    [
      'with its checkpoint in place of the earlier session',
      claim({ checkpoint: { messages: text(MOST / 2) }, ...earlier({ conversation: text(MOST / 2) }) }),
      { checkpoint: { messages: text(MOST / 2) }, earlier: { since: [{ id: 'task_0' }] } },
    ],
    ['not at all without its checkpoint', claim({ checkpoint: { messages: text(MOST) } }), undefined],
    ['not at all without its prompt', claim({ task: { id: 'task_1', prompt: text(MOST) } }), undefined],
  ])('is handed out %s', (_how, given, expected) => {
    const fitting = fittingClaim(given, MOST)
    if (expected === undefined) return expect(fitting).toBeUndefined()
    expect(fitting?.claim).toMatchObject(expected)
    expect(bodyBytes(fitting?.claim)).toBeLessThanOrEqual(MOST)
    const isCut = fitting?.claim.earlier?.continuation !== given.earlier?.continuation
    expect(fitting?.isSessionCut).toBe(isCut)
  })
})

const DONE = { kind: 'succeeded', result: { success: true, output: 'Done' } } as const
const BESIDE = { fence: 1 }

describe('the outcome of a run', () => {
  it.each<[string, RunEnd, object, boolean]>([
    ['whole', { ...DONE, continuation: { at: 1 } }, { continuation: { at: 1 } }, false],
    [
      'without a session that is too large, which the result says',
      { ...DONE, continuation: { files: { base: 'c' }, conversation: quotes(MOST / 3) } },
      {
        kind: 'succeeded',
        continuation: { files: { base: 'c' } },
        result: { output: 'Done', sessionWarning: expect.stringContaining('too large to store') },
      },
      true,
    ],
    [
      'of a failure, without such a session',
      {
        ...{ kind: 'failed', error: { code: 'timeout', message: 'late' }, retryable: true },
        continuation: { conversation: text(MOST) },
      },
      { kind: 'failed', error: { code: 'timeout' }, retryable: true },
      true,
    ],
    [
      'as a failure where it cannot wait',
      { kind: 'waiting', checkpoint: { messages: text(MOST) }, message: 'waits', approvals: [] },
      { kind: 'failed', error: { code: 'checkpoint_too_large' }, retryable: false },
      false,
    ],
  ])('is sent %s', (_how, end, expected, isSessionCut) => {
    const fitted = fittingEnd(end, BESIDE, MOST)
    expect(fitted).toMatchObject({ end: expected, isSessionCut })
    expect(bodyBytes({ ...BESIDE, end: fitted.end })).toBeLessThanOrEqual(MOST)
    // A service in one process has no such limit.
    expect(fittingEnd(end, BESIDE, undefined)).toEqual({ end, isSessionCut: false })
  })
})

const RUNNERS = { userId: 'installation', role: 'admin', tokenId: 'tok_shared' } as const

/** A service whose answers are limited, and a runner of it. */
const started = async () => {
  const agent = createFakeAgent(HOLD)
  const service = await startDomains({ adapters: [agent], env: { WORKER: 'off' }, mostBodyBytes: 20_000 })
  const { registry, claims, reports } = service.runners
  const { runner, mostBodyBytes } = await registry.register(RUNNERS, {
    ...{ name: 'one', version: '1', protocol: 1, labels: [], concurrency: 1, isolation: 'none' },
    agents: [{ type: agent.type }],
  })
  const poll = async () => {
    const body = { most: 1, waitMs: 1_000, takes: true, running: [] }
    const polled = claims.poll(RUNNERS, runner.id, body, new AbortController().signal)
    await service.pass(2_000, 200)
    return (await polled)?.claim
  }
  const end = (of: Claim | undefined, ended: RunEnd) =>
    reports.end(RUNNERS, runner.id, { taskId: of?.task.id ?? '', fence: of?.fence ?? 0 }, ended)
  const messages = async (id: string) =>
    (await service.tasks.events(id)).events.map(({ type, message }) => `${type} ${message ?? ''}`)
  return { service, mostBodyBytes, poll, end, messages }
}

describe('a service whose answers are limited', () => {
  it('tells runners the limit, and hands out a turn without a session that is too large, which its events say', async () => {
    const { service, mostBodyBytes, poll, end, messages } = await started()
    await using _ = service
    expect(mostBodyBytes).toBe(20_000)
    const { id } = await service.create()
    await turns()
    await end(await poll(), { ...DONE, continuation: { files: { base: 'c' }, conversation: text(30_000) } })
    await service.tasks.replies.reply(ANN, id, { body: { content: 'Go on' } })
    await turns()
    const claimed = await poll()
    expect(claimed?.earlier).toMatchObject({ continuation: { files: { base: 'c' } } })
    expect(claimed?.earlier?.continuation).not.toHaveProperty('conversation')
    expect(await messages(claimed?.task.id ?? '')).toContainEqual(
      expect.stringContaining('progress The session of the earlier turns was too large'),
    )
  })

  it('fails a task that does not fit, and hands out the next one', async () => {
    const { service, poll, messages } = await started()
    await using _ = service
    const { id } = await service.create({ prompt: text(30_000) })
    await turns()
    const next = await service.create()
    await turns()
    expect((await poll())?.task.id).toBe(next.id)
    expect(await service.tasks.get(id)).toMatchObject({
      status: 'failed',
      error: { code: 'claim_too_large' },
    })
    expect((await messages(id)).at(-1)).toContain('exceeds the 6 MB limit')
    expect((await service.deadLetters.list({ status: 'pending', limit: 9 })).items).toMatchObject([
      { taskId: id },
    ])
  })
})
