import { mkdirSync } from 'node:fs'
import { describe, expect, it } from '@jest/globals'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { createIds } from '../../lib/adapters/node/ids.ts'
import { openSqliteStore } from '../../lib/adapters/sqlite/store.ts'
import { dataFileIn } from '../../lib/app/data.ts'
import { collections } from '../../lib/collections.ts'
import { composeApprovals } from '../../lib/composition/security.ts'
import { createMasker } from '../../lib/core/masker.ts'
import { createFakeLog } from '../fakes/log.ts'
import { calling, saying, startWire } from '../fakes/model-wire.ts'
import { apiError, connect } from './client.ts'
import { isOffline, startService, temporaryFolder } from './service.ts'

if (isOffline) process.stderr.write('SKIPPED: the approvals of this journey are put into a data folder\n')
const oneProcess = isOffline ? it.skip : it

/** Asks for approvals as conversations of the local user do, in a service that is not running. */
const askIn = async (folder: string, ...conversationIds: string[]) => {
  mkdirSync(folder, { recursive: true })
  const clock = createClock()
  const store = openSqliteStore({ file: dataFileIn(folder), collections, clock })
  const approvals = composeApprovals({
    store,
    clock,
    log: createFakeLog(),
    ids: createIds({ clock }),
    masker: createMasker([]),
  })
  const request = {
    tool: 'run_command',
    risk: 'execute',
    title: 'run_command npm test',
    mode: 'ask',
    userId: 'local',
  } as const
  for (const conversationId of conversationIds)
    await approvals.ask({ ...request, conversationId, arguments: { command: 'npm', args: ['test'] } })
  await store.close()
}

describe('security', () => {
  oneProcess('applies the policy to the calls of agents, and records each', async () => {
    using folder = temporaryFolder()
    const wire = await startWire(
      calling(['write_file', { path: 'a.txt', content: 'key sk-proj-abcdefgh12345678' }]),
      calling(['git', { args: ['status'] }]),
      calling(['read_file', { path: '../outside' }]),
      saying('Done.'),
    )
    const env = {
      DATA_DIR: folder.in('data'),
      OPENAI_BASE_URL: `${wire.origin}/v1`,
      OPENAI_MODEL: 'model-7',
      OPENAI_API_KEY: 'planted_1234567890',
      DEFAULT_PROVIDER: 'openai',
    }
    await using service = await startService({ env })
    const { client, perform } = connect(service.baseUrl)
    await client.changePolicy({ body: { blockedTools: ['git'] } })
    expect((await client.getPolicy()).policy).toMatchObject({ blockedTools: ['git'], defaultMode: 'ask' })
    const task = await perform({ title: 'Write', prompt: 'Write a.txt' })
    expect(task.status).toBe('completed')
    const { entries, total } = await client.listToolCalls({ query: { taskId: task.id } })
    expect(total).toBe(3)
    expect(entries.map(({ tool, decision, guard, mode }) => [tool, decision, guard, mode])).toEqual([
      ['read_file', 'blocked', 'path-traversal', 'full'],
      ['git', 'denied', undefined, 'full'],
      ['write_file', 'allowed', undefined, 'full'],
    ])
    const { entry } = await client.getToolCall({ params: { id: entries[2]?.id ?? '' } })
    expect(entry).toMatchObject({
      taskId: task.id,
      userId: 'local',
      arguments: { path: 'a.txt', content: 'key [masked]' },
      result: expect.stringContaining('a.txt'),
    })
    await wire.close()
  })

  oneProcess('keeps approvals and the policy through restarts, and decides an approval once', async () => {
    using folder = temporaryFolder()
    const DATA_DIR = folder.in('data')
    await askIn(DATA_DIR, 'c-1', 'c-2')
    {
      await using service = await startService({ env: { DATA_DIR } })
      const { client } = connect(service.baseUrl)
      await client.changePolicy({ body: { toolRateLimitPerMinute: 7 } })
      const { approvals } = await client.listApprovals()
      expect(
        approvals.map(({ conversationId, toolName, params, securityLevel }) => [
          ...[conversationId, toolName, params, securityLevel],
        ]),
      ).toEqual([
        ['c-1', 'run_command', { command: 'npm', args: ['test'] }, 'execute'],
        ['c-2', 'run_command', { command: 'npm', args: ['test'] }, 'execute'],
      ])
      const [one] = approvals
      const decide = () =>
        client.decideApproval({ params: { id: one?.id ?? '' }, body: { decision: 'allow-once' } })
      const both = await Promise.allSettled([decide(), decide()])
      expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
      expect(await apiError(decide())).toMatchObject({ status: 400, code: 'approval_decided' })
      await service.kill9()
    }
    await using service = await startService({ env: { DATA_DIR } })
    const { client } = connect(service.baseUrl)
    expect((await client.getPolicy()).policy.toolRateLimitPerMinute).toBe(7)
    expect((await client.listApprovals()).approvals.map(({ conversationId }) => conversationId)).toEqual([
      'c-2',
    ])
    const unknown = client.decideApproval({ params: { id: 'apv_none' }, body: { decision: 'deny' } })
    expect(await apiError(unknown)).toMatchObject({ status: 404 })
  })
})
