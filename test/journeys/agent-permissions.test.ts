import * as path from 'node:path'
import { describe, expect, it } from '@jest/globals'
import type { Act } from '../fixtures/acp/agent.ts'
import { until } from './api.ts'
import { connect } from './client.ts'
import { openService } from './opened-service.ts'
import { fixtureReads, isOffline, root, serviceNode } from './service.ts'

if (isOffline) process.stderr.write('SKIPPED: functions run no programs\n')
const oneProcess = isOffline ? it.skip : it

const scripted = {
  type: 'scripted-acp',
  command: serviceNode,
  args: [path.join(root, 'test/fixtures/acp/agent.ts')],
  reads: fixtureReads,
}
const settings = { ACP_AGENTS: JSON.stringify([scripted]), QUEUE_CONCURRENCY: '1', POOL_MAX_CONCURRENT: '2' }

const script = (file: string): Act[] => [
  { act: 'write', path: file, text: 'new\n', ask: true },
  { act: 'say', text: 'Done.' },
]

describe('a permission that an agent over ACP asks for', () => {
  oneProcess('waits for a person while other tasks run in its slot, and holds for one call', async () => {
    await using service = await openService(settings)
    const { client, create, untilTask, task, events } = connect(service.baseUrl)
    const createAsking = (file: string, more: object = {}) =>
      create({
        title: file,
        prompt: JSON.stringify(script(file)),
        assignedAgent: 'scripted-acp',
        metadata: { securityMode: 'ask', ...more },
      })
    const asking = async (file: string) => {
      const { id } = await createAsking(file)
      const approval = await until(async () => {
        const found = (await client.listApprovals()).approvals.find(({ taskId }) => taskId === id)
        return (await task(id)).waitingFor === 'approval' ? found : undefined
      })
      return { id, approval }
    }
    const decide = (approval: string, decision: 'allow-once' | 'deny') =>
      client.decideApproval({ params: { id: approval }, body: { decision } })

    const first = await asking('a.txt')
    const second = await asking('b.txt')
    expect(await task(first.id)).toMatchObject({ status: 'in_progress', waiting: { reason: 'approval' } })
    expect(first.approval).toMatchObject({ toolName: 'agent_edit', title: 'agent_edit Write a.txt' })
    // The only slot is free: another task begins and ends.
    const other = await create({ title: 'Other', prompt: 'demo: say Hello' })
    expect(await untilTask(other.id, 'completed', 'failed')).toMatchObject({ status: 'completed' })

    await decide(first.approval.id, 'allow-once')
    const allowed = await untilTask(first.id, 'completed', 'failed')
    expect(allowed).toMatchObject({
      status: 'completed',
      attempts: 1,
      waitingMs: expect.any(Number),
      result: { output: 'Done.', filesChanged: [{ path: 'a.txt' }] },
    })
    expect(allowed).not.toHaveProperty('waiting')
    expect((await events(first.id)).map(({ metadata }) => metadata?.code).filter(Boolean)).toEqual([
      'waiting_for_approval',
      'resumed',
    ])

    await decide(second.approval.id, 'deny')
    expect(await untilTask(second.id, 'completed', 'failed')).toMatchObject({
      status: 'completed',
      result: {
        output: expect.stringContaining('Done.'),
        denied: ['agent_edit Write b.txt'],
        filesChanged: [],
      },
    })

    const third = await asking('c.txt')
    await client.cancelTask({ params: { id: third.id } })
    const cancelled = await untilTask(third.id, 'cancelled')
    expect(cancelled).not.toHaveProperty('waitingFor')
    await until(async () => ((await client.listApprovals()).approvals.length === 0 ? true : undefined))

    const { id } = await createAsking('d.txt', { approvalTtlMs: 1_500 })
    expect(await untilTask(id, 'failed', 'completed')).toMatchObject({
      status: 'failed',
      error: { code: 'approval_expired' },
    })
  })
})
