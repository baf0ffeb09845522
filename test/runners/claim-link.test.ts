import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import * as path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { ApiError } from '../../lib/api/api-error.ts'
import { createClaimLink, sendLeft } from '../../lib/app/runner/claim-link.ts'
import { openOutcomes } from '../../lib/app/runner/outcomes.ts'
import type { Claim, Report, RunEnd } from '../../lib/runners/schema.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { createFakeIds } from '../fakes/ids.ts'
import { createFakeLog } from '../fakes/log.ts'
import { until } from '../fakes/until.ts'
import { temporaryFolder } from '../journeys/service.ts'

const TARGET = { provider: 'p', model: 'm' }
const claim = { task: { id: 'task_1' }, fence: 3, leaseMs: 30_000 } as Claim
const DONE = { kind: 'succeeded', result: { success: true, output: 'Done' } } as const
const progress = (message: string) => ({ id: `evt_${message}`, message })
const messagesIn = ({ progress: all = [] }: Partial<Report>) => all.map(({ message }) => message)

const refused = (status: number, code: string) =>
  new ApiError(new Response(null, { status }), { error: `It is ${code}`, code })

let folder: ReturnType<typeof temporaryFolder>
beforeEach(() => {
  folder = temporaryFolder()
})
afterEach(() => folder[Symbol.dispose]())

type Options = {
  fails?: (verb: string, messages: string[]) => Error | undefined
  mostBodyBytes?: number
}

/** A link to a service that takes what `fails` does not refuse. */
const openLink = ({ fails, mostBodyBytes }: Options = {}) => {
  const said: string[] = []
  const ends: RunEnd[] = []
  const log = createFakeLog()
  const gate = { opened: Promise.resolve() }
  const answer = async (verb: string, messages: string[]) => {
    await gate.opened
    const failure = fails?.(verb, messages)
    if (failure) throw failure
    said.push([verb, ...messages].join(' '))
    return { ok: true as const }
  }
  const client = {
    reportRun: ({ body }: { body: Report }) => answer('report', messagesIn(body)),
    endClaim: ({ body: { end } }: { body: { end: RunEnd } }) => {
      ends.push(end)
      const hasState = end.kind === 'waiting' || 'continuation' in end
      return answer(`${end.kind}${hasState ? ' with state' : ''}`, [])
    },
  }
  const outcomes = openOutcomes(folder.in('outcomes'), log)
  const needs = {
    client: client as never,
    runnerId: 'rnr_1',
    persist: (_what: string, request: () => Promise<unknown>) => request(),
    outcomes,
    ids: createFakeIds(createFakeClock()),
    log,
    mostBodyBytes,
    onLost: () => said.push('lost'),
  } as never as Parameters<typeof createClaimLink>[2]
  return { link: createClaimLink(claim, TARGET, needs), needs, outcomes, said, ends, log, gate }
}

describe('what a run says to its service', () => {
  it('is on the disk at its end with the batch that is on its way, until the service has answered', async () => {
    const { link, said, outcomes, gate } = openLink()
    const opening = Promise.withResolvers<void>()
    gate.opened = opening.promise
    link.addProgress(progress('one'))
    await new Promise((resolve) => setImmediate(resolve))
    link.addProgress(progress('two'))
    const ended = link.end(DONE)
    await until(() => readdirSync(folder.in('outcomes')).some((name) => name.endsWith('.json')))
    const [left] = outcomes.left()
    expect(left?.reports.flatMap(messagesIn)).toEqual(['one', 'two'])
    opening.resolve()
    await ended
    expect(said).toEqual(['report one', 'report two', 'succeeded'])
    expect(outcomes.left()).toEqual([])
  })

  it('stays on the disk where the token is refused, and the next process sends all of it', async () => {
    const { link, outcomes } = openLink({ fails: () => refused(401, 'invalid_token') })
    link.addProgress(progress('one'))
    await new Promise((resolve) => setTimeout(resolve))
    link.addProgress(progress('two'))
    await expect(link.end(DONE)).rejects.toMatchObject({ status: 401 })
    const later = openLink()
    for (const left of outcomes.left()) await sendLeft(later.needs, left)
    expect(later.said).toEqual(['report one', 'report two', 'succeeded'])
    expect(outcomes.left()).toEqual([])
  })

  it.each([400, 403, 404])('stays on the disk where a proxy answers %s for the service', async (status) => {
    const page = new ApiError(new Response(null, { status }), '<h1>default backend</h1>')
    const { link, outcomes } = openLink({ fails: () => page })
    await expect(link.end(DONE)).rejects.toBe(page)
    expect(outcomes.left()).toMatchObject([{ taskId: 'task_1', fence: 3, end: DONE }])
  })

  it('is sent without the one entry that the service refuses', async () => {
    const fails = (_verb: string, messages: string[]) =>
      messages.includes('bad') ? refused(400, 'validation_failed') : undefined
    const { link, said, log } = openLink({ fails })
    for (const message of ['a', 'b', 'bad', 'c', 'd']) link.addProgress(progress(message))
    await link.end(DONE)
    expect(said.join(' ').match(/\b[a-d]\b/g)).toEqual(['a', 'b', 'c', 'd'])
    expect(said.at(-1)).toBe('succeeded')
    expect(log.entries.filter(({ level }) => level === 'error')).toHaveLength(1)
  })

  it('is over when its claim is: its end is dropped, and the disk is cleared', async () => {
    const { link, said, outcomes } = openLink({ fails: () => refused(400, 'lease_lost') })
    link.addProgress(progress('one'))
    await link.end(DONE)
    expect(said).toEqual(['lost'])
    expect(outcomes.left()).toEqual([])
  })

  const TOO_LARGE = 'The session of the agent was too large to store. A reply starts a new one'
  const WITH_SESSION = { ...DONE, continuation: { conversation: 'x'.repeat(2_000) } } as const
  const WAITS: RunEnd = { kind: 'waiting', checkpoint: { at: 1 }, message: 'waits', approvals: [] }

  it('leaves out a session that the service does not take, and says so before its end', async () => {
    const { link, said, ends } = openLink({ mostBodyBytes: 1_000 })
    await link.end(WITH_SESSION)
    expect(said).toEqual([`report ${TOO_LARGE}`, 'succeeded'])
    expect(ends).toMatchObject([{ result: { output: 'Done', sessionWarning: TOO_LARGE } }])
  })

  it.each<[string, RunEnd, string[], object]>([
    [
      'a session: it is left out',
      WITH_SESSION,
      [`report ${TOO_LARGE}`, 'succeeded'],
      { result: { sessionWarning: TOO_LARGE } },
    ],
    [
      'a checkpoint: the run cannot wait',
      WAITS,
      ['failed'],
      { error: { code: 'checkpoint_too_large' }, retryable: false },
    ],
    ['neither', DONE, ['failed'], { error: { code: 'bad_result' }, retryable: false }],
  ])('that a proxy finds too large has %s', async (_what, end, expected, last) => {
    let isFirst = true
    const fails = (verb: string) => {
      const isTooLarge = isFirst && verb !== 'report'
      if (verb !== 'report') isFirst = false
      return isTooLarge ? refused(413, 'http_413') : undefined
    }
    const { link, said, ends, outcomes } = openLink({ fails })
    await link.end(end)
    expect([said, ends.length]).toEqual([expected, 2])
    expect(ends.at(-1)).toMatchObject(last)
    expect(outcomes.left()).toEqual([])
  })

  it('reaches the service though it does not fit on the disk', async () => {
    const { link, said } = openLink()
    rmSync(folder.in('outcomes'), { recursive: true })
    await link.end(DONE)
    expect(said).toEqual(['succeeded'])
  })
})

describe('the outcomes on the disk of a runner', () => {
  it('are read but for those that are none, which stay to be looked at', async () => {
    const { outcomes } = openLink()
    await outcomes.store({ taskId: 'task_1', fence: 1, reports: [], end: DONE })
    writeFileSync(path.join(folder.in('outcomes'), 'task_2.1.json'), '{"taskId":')
    writeFileSync(path.join(folder.in('outcomes'), 'task_3.1.json.new'), '{')
    expect(outcomes.left().map(({ taskId }) => taskId)).toEqual(['task_1'])
    expect(readdirSync(folder.in('outcomes')).toSorted()).toEqual([
      'task_1.1.json',
      'task_2.1.json.unreadable',
    ])
  })
})
