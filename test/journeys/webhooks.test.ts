import { describe, expect, it } from '@jest/globals'
import type { Task } from '../../lib/tasks/schema.ts'
import type { Sender } from '../../lib/webhooks/schema.ts'
import * as github from '../webhooks/payloads/codehost.ts'
import * as jira from '../webhooks/payloads/trackera.ts'
import * as linear from '../webhooks/payloads/trackerb.ts'
import { SECRETS, secretEnv, signedHeaders } from '../webhooks/signed.ts'
import { until } from './api.ts'
import { connect } from './client.ts'
import { startService, temporaryFolder } from './service.ts'

type Received = { message: string; task?: Task; code?: string; error?: string }
type Sent = { event?: string; delivery?: string; secret?: string; headers?: Record<string, string> }

/** The repositories of these events are nowhere. */
const AGENT = { AGENT_ADAPTERS: 'test/fixtures/agents/scripted.ts', DEFAULT_AGENT: 'scripted' }

const started = async (folder: string) => {
  const service = await startService({ env: { DATA_DIR: folder, ...AGENT, ...secretEnv } })
  const deliver = async (sender: Sender, payload: unknown, { headers, ...sent }: Sent = {}) => {
    const body = Buffer.isBuffer(payload) || typeof payload === 'string' ? payload : JSON.stringify(payload)
    const answer = await fetch(`${service.baseUrl}/api/webhooks/${sender}`, {
      method: 'POST',
      headers: { ...signedHeaders({ sender, body, ...sent }), ...headers },
      body,
    })
    return { status: answer.status, ...((await answer.json()) as Received) }
  }
  return { service, deliver, ...connect(service.baseUrl) }
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

describe('events of a code host and of trackers', () => {
  it('become tasks that are worked on, once each, and are refused unless they are signed', async () => {
    using folder = temporaryFolder()
    const { service, deliver, client, untilTask } = await started(folder.in('data'))
    await using _service = service

    const ping = await deliver('codehost', github.ping, { event: 'ping' })
    expect(ping).toEqual({ status: 200, message: 'The webhook works' })
    const labeled = github.issueLabeled('ai-task', { title: 'Write a note', body: 'About größe' })
    const made = await deliver('codehost', labeled, { event: 'issues', delivery: 'a' })
    expect(made).toMatchObject({ status: 200, task: { title: 'Write a note', source: 'codehost' } })
    const id = made.task?.id ?? ''
    const again = await Promise.all(
      ['a', 'b', 'c'].map((delivery) => deliver('codehost', labeled, { event: 'issues', delivery })),
    )
    expect(again.map(({ task }) => task?.id)).toEqual([id, id, id])
    expect(await untilTask(id, 'completed', 'failed')).toMatchObject({
      status: 'completed',
      createdBy: 'webhook:codehost',
      agent: 'scripted',
    })

    const form = `payload=${encodeURIComponent(JSON.stringify(github.commentCreated('/ai größe + 1'))).replaceAll('%20', '+')}`
    const ordered = await deliver('codehost', form, { event: 'issue_comment', headers: FORM })
    expect(ordered).toMatchObject({ status: 200, message: 'This event already created a task' })
    const solved = await deliver('trackera', jira.issueCreated(['ai-task']))
    expect((await untilTask(solved.task?.id ?? '', 'completed', 'failed')).status).toBe('completed')
    expect(await deliver('trackerb', linear.issueCreated(['ai-task']))).toMatchObject({
      task: { sourceId: 'ENG-12' },
    })

    const letters = Buffer.concat([Buffer.from('{"a": "'), Buffer.from([255, 254]), Buffer.from('"}')])
    // Judged by the bytes that were signed, which are no text.
    expect((await deliver('codehost', letters, { event: 'issues' })).status).toBe(400)
    for (const sent of [{ secret: SECRETS.trackerb }, { headers: { 'x-hub-signature-256': '' } }])
      expect(await deliver('codehost', labeled, { event: 'issues', ...sent })).toMatchObject({
        status: 403,
        code: 'invalid_signature',
        error: expect.stringMatching(/signature is invalid/),
      })

    // Counters follow within moments in the cloud.
    const counted = { codehost: 3, trackera: 1, trackerb: 1 }
    const status = await until(async () => {
      const all = await client.webhookStatus()
      const isCounted = Object.entries(counted).every(
        ([sender, n]) => all[sender as Sender]?.eventCount === n,
      )
      return isCounted ? all : undefined
    })
    expect(status).toMatchObject({
      codehost: { configured: true, lastEvent: expect.any(String), eventCount: 3 },
      trackera: { eventCount: 1 },
      trackerb: { eventCount: 1 },
    })
    const bySource = await until(async () => {
      const sources = (await client.taskAnalytics()).bySource
      return sources.trackerb === undefined ? undefined : sources
    })
    expect(bySource).toEqual({ codehost: 2, trackera: 1, trackerb: 1 })
    for (const secret of Object.values(SECRETS)) expect(service.output()).not.toContain(secret)
  })
})
