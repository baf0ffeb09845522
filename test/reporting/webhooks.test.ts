import { describe, expect, it } from '@jest/globals'
import type { TrackerName } from '../../lib/ports/tracker.ts'
import type { Sender } from '../../lib/webhooks/schema.ts'
import { createFakeAgent } from '../fakes/agent.ts'
import { ANN, turns, until } from '../fakes/service.ts'
import { type FakeTrackers, startTrackers } from '../fakes/trackers.ts'
import { type StartedInbound, startInbound } from '../webhooks/inbound.ts'
import * as github from '../webhooks/payloads/codehost.ts'
import * as jira from '../webhooks/payloads/trackera.ts'
import * as linear from '../webhooks/payloads/trackerb.ts'
import { linkAccount } from './linked.ts'

const events: readonly [Sender, payload: unknown, event: string | undefined][] = [
  ['codehost', github.issueLabeled('ai-task'), 'issues'],
  ['trackera', jira.issueCreated(['ai-task']), undefined],
  ['trackerb', linear.issueCreated(['ai-task']), undefined],
]

const start = (trackers: FakeTrackers, outcome: () => Promise<{ success: boolean; output: string }>) =>
  startInbound({
    background: true,
    adapters: [createFakeAgent(outcome)],
    env: { ...trackers.env, QUEUE_RETRY_ATTEMPTS: '1', WEBHOOK_RETRY_DELAYS_MS: '1000,1000,1000,1000,1000' },
  })
const done = async () => ({ success: true, output: 'Mended.' })

const taskReport = async (inbound: StartedInbound, id: string) =>
  (await inbound.call(`GET /api/tasks/${id}`)).body.task.report

const label = (inbound: StartedInbound) =>
  inbound.deliver('codehost', github.issueLabeled('ai-task'), { event: 'issues' })

describe('a task that came as an event', () => {
  it.each(events)(
    'of the %s is told there when it ends, edited after a retry from the dead letters',
    async (sender, payload, event) => {
      await using trackers = await startTrackers()
      let outcome: typeof done = async () => Promise.reject(new Error('It broke'))
      await using inbound = await start(trackers, () => outcome())
      await linkAccount(inbound, sender)
      const { body } = await inbound.deliver(sender, payload, event === undefined ? {} : { event })
      const { id } = body.task
      await until(async () => (await taskReport(inbound, id))?.status === 'reported')
      expect(trackers.said(sender)).toEqual([expect.stringMatching(/Task failed[\s\S]*It broke/)])

      outcome = done
      inbound.clock.advance(1_000)
      const [letter] = (await inbound.call('GET /api/dlq')).body.items
      await inbound.call(`POST /api/dlq/${letter.id}/retry`)
      await until(() => trackers.said(sender)[0]?.includes('Task completed') === true)
      expect(trackers.said(sender)).toHaveLength(1)
      await until(async () => (await taskReport(inbound, id))?.status === 'reported')
      expect(await taskReport(inbound, id)).toMatchObject({ provider: sender, url: expect.any(String) })
      expect((await inbound.call('GET /api/tasks')).body.tasks[0]).not.toHaveProperty('report')
    },
  )

  it('and is retried as a new one has its comment changed', async () => {
    await using trackers = await startTrackers()
    let outcome: typeof done = async () => Promise.reject(new Error('It broke'))
    await using inbound = await start(trackers, () => outcome())
    await linkAccount(inbound, 'codehost')
    const { id } = (await label(inbound)).body.task
    await until(async () => (await taskReport(inbound, id))?.status === 'reported')
    outcome = done
    const { task } = (await inbound.call(`POST /api/tasks/${id}/retry`)).body
    await until(async () => (await taskReport(inbound, task.id))?.status === 'reported')
    expect(trackers.said('codehost')).toEqual([expect.stringMatching(/Task completed[\s\S]*Mended\./)])
  })

  it('has those who watch hear where its report has come to', async () => {
    await using trackers = await startTrackers()
    trackers.state.answer = () => ({ status: 503, body: {} })
    await using inbound = await start(trackers, done)
    await linkAccount(inbound, 'codehost')
    const reader = new AbortController()
    const heard: object[] = []
    const events = await inbound.live.follow(ANN, '', reader.signal)
    const reading = (async () => {
      for await (const { type, data } of events) if (type === 'report.updated') heard.push(data)
    })()
    const { id } = (await label(inbound)).body.task
    /** What was heard last is the report as it is read, in this state. */
    const hear = (state: object) =>
      until(async () => {
        await inbound.pass(200, 100)
        const report = await taskReport(inbound, id)
        const { status, error } = report ?? {}
        const isThere = JSON.stringify({ status, code: error?.code }) === JSON.stringify(state)
        return isThere && JSON.stringify(heard.at(-1)) === JSON.stringify({ id, ...report })
      })
    await hear({ status: 'pending', code: 'provider_failed' })
    trackers.state.answer = () => undefined
    await hear({ status: 'reported' })
    expect(heard.at(-1)).toMatchObject({ id, provider: 'codehost', url: expect.any(String) })
    reader.abort()
    await reading
  })

  it('is reported by an admin whose account may write alone, the one linked last', async () => {
    await using trackers = await startTrackers()
    await using inbound = await start(trackers, done)
    const { id: before } = (await label(inbound)).body.task
    await inbound.reaches(before, 'completed')
    await linkAccount(inbound, 'codehost', { userId: 'user_ann', username: 'user', token: 'of-a-user' })
    await linkAccount(inbound, 'codehost', { username: 'reads', scopes: ['read:user'], token: 'read-only' })
    const { id: still } = (await order(inbound, 'still nobody')).body.task
    await inbound.reaches(still, 'completed')
    await turns(30)
    expect(trackers.calls).toEqual([])

    await linkAccount(inbound, 'codehost', { username: 'older', token: 'older' })
    inbound.clock.advance(1_000)
    await linkAccount(inbound, 'codehost')
    const { id } = (await order(inbound, 'now')).body.task
    await until(async () => (await taskReport(inbound, id))?.status === 'reported')
    expect(trackers.comments.codehost).toHaveLength(1)
    expect(await Promise.all([before, still].map((one) => taskReport(inbound, one)))).toEqual([
      undefined,
      undefined,
    ])
  })

  it('and a report of it that comes back makes no other task', async () => {
    await using trackers = await startTrackers()
    await using inbound = await start(trackers, done)
    await linkAccount(inbound, 'codehost')
    await label(inbound)
    await until(() => trackers.comments.codehost.length === 1)
    const [said = ''] = trackers.said('codehost')
    const { body } = await inbound.deliver('codehost', github.commentCreated(said), {
      event: 'issue_comment',
    })
    expect(body).toEqual({ message: 'The comment does not start with /ai and a request' })
    const quoting = await order(inbound, `again, see\n> ${said}`)
    expect(quoting.body.message).toBe('This event already created a task')
  })
})

it('a task that names an issue, but came by the API, is not reported', async () => {
  await using trackers = await startTrackers()
  await using inbound = await start(trackers, done)
  const names: readonly TrackerName[] = ['codehost', 'trackera', 'trackerb']
  for (const source of names) {
    await linkAccount(inbound, source)
    const { id } = await inbound.create({ source, sourceId: 'acme/shop#12' })
    await inbound.reaches(id, 'completed')
    expect(await taskReport(inbound, id)).toBeUndefined()
  }
  await turns(30)
  expect(trackers.calls).toEqual([])
})

function order(inbound: StartedInbound, text: string) {
  return inbound.deliver('codehost', github.commentCreated(`/ai ${text}`), { event: 'issue_comment' })
}
